import { z } from 'zod';
import { lineSchema } from './text.ts';

export const userSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    full_name: z.string(),
    photo_url: z.string().nullable(),
    paddle_id: z.string().default(''),
    company_name: z.string().default(''),
  })
  .meta({ id: 'User' });
export type UserWire = z.infer<typeof userSchema>;

/** `POST /auth/firebase`: trades an ID token for the product's own session cookies. */
export const tokenExchangeSchema = z.object({
  token: z.string().min(1).max(8192),
  name: lineSchema(200).nullish(),
  company: lineSchema(200).nullish(),
});

/** `PATCH /user/update`. A company may be null: none. */
export const userUpdateSchema = z.object({
  full_name: lineSchema(200).min(1, 'Please enter your name'),
  company: lineSchema(200).nullish(),
});

export const subscriptionClaimsSchema = z.object({
  sub: z.string(),
  /** Truthy means subscribed. */
  status: z.string(),
  exp: z.number(),
});

/** `GET /user/sub`: a JWT (HS256) with `subscriptionClaimsSchema`, see docs/decisions. */
export const subscriptionTokenSchema = z.object({ data: z.string() });
