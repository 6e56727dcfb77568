import { z } from 'zod';
import { lineSchema } from './text.ts';

/**
 * Scopes of a personal token. `read`: calls that change nothing; `write`: calls that change something; `metrics`: only the
 * Prometheus metrics, which `read` includes too. No scope allows calls that need a session.
 */
export const TOKEN_SCOPES = ['read', 'write', 'metrics'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Returns whether a token with these scopes may make a call that needs the scope `needed`. */
export function allows(scopes: readonly TokenScope[], needed: TokenScope): boolean {
  return scopes.includes(needed) || (needed === 'metrics' && scopes.includes('read'));
}

export const MAX_TOKENS = 20;
export const TOKEN_NAME_MAX_LENGTH = 60;
/**
 * Token lifetimes that the web app offers, in days. The API accepts any whole number up to `MAX_DAYS`, or null for a token
 * that never expires.
 */
export const TOKEN_LIFETIMES = [7, 30, 90, 365] as const;
const MAX_DAYS = 3_650;

/** Format of a personal token: 256 random bits after a prefix that secret scanners can recognise. */
export const TOKEN_PATTERN = /^clt_[A-Za-z0-9_-]{43}$/;

export const createTokenSchema = z.object({
  name: lineSchema(TOKEN_NAME_MAX_LENGTH).min(1, 'Enter a name for the token'),
  scopes: z
    .array(z.enum(TOKEN_SCOPES))
    .min(1, 'Choose what the token may do')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'Choose each scope only once'),
  /** Lifetime in days; null if the token does not expire. */
  expires_in_days: z.number().int().min(1).max(MAX_DAYS).nullable(),
});
export type CreateToken = z.infer<typeof createTokenSchema>;

/** A personal token without its secret. Instants are ISO 8601 UTC. */
export const tokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** First characters of the token, so that the owner can recognise it. */
    prefix: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    created_at: z.string(),
    /** Time of the last use, accurate to five minutes; null before the first use. */
    last_used_at: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'Token' });
export type TokenWire = z.infer<typeof tokenSchema>;

/** Answer to creating a token. `secret` is shown only in this answer. */
export const tokenCreatedSchema = z.object({ token: tokenSchema, secret: z.string() });
