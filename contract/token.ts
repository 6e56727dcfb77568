import { z } from 'zod';
import { lineSchema } from './text.ts';

/**
 * What a personal token may do. `read`: all queries; `write`: all changes except those that need a session; `metrics`:
 * only the Prometheus metrics, which `read` includes.
 */
export const TOKEN_SCOPES = ['read', 'write', 'metrics'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Returns whether a token with these scopes may make a call that requires `needed`. */
export function allows(scopes: readonly TokenScope[], needed: TokenScope): boolean {
  return scopes.includes(needed) || (needed === 'metrics' && scopes.includes('read'));
}

export const MAX_TOKENS = 20;
export const TOKEN_NAME_MAX_LENGTH = 60;
/** Token lifetimes in days that the page offers. The API accepts any whole number up to `MOST_DAYS`. */
export const TOKEN_LIFETIMES = [7, 30, 90, 365] as const;
const MAX_DAYS = 3_650;

/** 256 random bits after a prefix that secret scanners can recognise. */
export const TOKEN_PATTERN = /^clt_[A-Za-z0-9_-]{43}$/;

export const makeTokenSchema = z.object({
  name: lineSchema(TOKEN_NAME_MAX_LENGTH).min(1, 'Give the token a name'),
  scopes: z
    .array(z.enum(TOKEN_SCOPES))
    .min(1, 'Choose what the token may do')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'Name each scope once'),
  /** null: does not expire. */
  expires_in_days: z.number().int().min(1).max(MAX_DAYS).nullable(),
});
export type MakeToken = z.infer<typeof makeTokenSchema>;

/** A personal token without its secret. Instants are ISO 8601 UTC. */
export const tokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Its first characters, so that the owner can recognise it. */
    prefix: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    created_at: z.string(),
    /** Accurate to five minutes; null before the first use. */
    last_used_at: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'Token' });
export type TokenWire = z.infer<typeof tokenSchema>;

/** Answer after creating a token. `secret` is shown only here. */
export const tokenMadeSchema = z.object({ token: tokenSchema, secret: z.string() });
