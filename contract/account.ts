import { z } from 'zod';

export const userSchema = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  photo_url: z.string().nullable(),
  paddle_id: z.string().default(''),
  company_name: z.string().default(''),
});
export type UserWire = z.infer<typeof userSchema>;

/** `POST /auth/firebase`: trades an ID token for the product's own session cookies. */
export const tokenExchangeSchema = z.object({
  token: z.string().min(1).max(8192),
  name: z.string().max(200).nullish(),
  company: z.string().max(200).nullish(),
});

/** `PATCH /user/update`. A company may be null: none. */
export const userUpdateSchema = z.object({
  full_name: z.string().trim().min(1, 'Please enter your name').max(200),
  company: z.string().trim().max(200).nullish(),
});

export const subscriptionClaimsSchema = z.object({
  sub: z.string(),
  /** Truthy means subscribed. */
  status: z.string(),
  exp: z.number(),
});
