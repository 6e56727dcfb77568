import { z } from 'zod';
import { lineSchema } from './text.ts';

/**
 * What a personal token may do. `read`: everything that asks; `write`: everything that changes, but for what only a session may;
 * `metrics`: nothing but the figures for Prometheus, which `read` covers too.
 */
export const TOKEN_SCOPES = ['read', 'write', 'metrics'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Whether a token with these scopes may make a call that needs `needed`. */
export function allows(scopes: readonly TokenScope[], needed: TokenScope): boolean {
  return scopes.includes(needed) || (needed === 'metrics' && scopes.includes('read'));
}

export const MOST_TOKENS = 20;
export const TOKEN_NAME_MAX_LENGTH = 60;
/** Days until a token ends that may be chosen on the page; through the API any whole number up to the last. */
export const TOKEN_LIFETIMES = [7, 30, 90, 365] as const;
const MOST_DAYS = 3_650;

/** 256 random bits behind a mark that secret scanners can look for. */
export const TOKEN_PATTERN = /^clt_[A-Za-z0-9_-]{43}$/;

export const makeTokenSchema = z.object({
  name: lineSchema(TOKEN_NAME_MAX_LENGTH).min(1, 'Give the token a name'),
  scopes: z
    .array(z.enum(TOKEN_SCOPES))
    .min(1, 'Choose what the token may do')
    .refine((scopes) => new Set(scopes).size === scopes.length, 'Name each scope once'),
  /** null: it does not end by itself. */
  expires_in_days: z.number().int().min(1).max(MOST_DAYS).nullable(),
});
export type MakeToken = z.infer<typeof makeTokenSchema>;

/** A personal token without its secret. Instants are ISO 8601 UTC. */
export const tokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** How it begins, so that its owner knows it again. */
    prefix: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    created_at: z.string(),
    /** To within five minutes; null before its first use. */
    last_used_at: z.string().nullable(),
    expires_at: z.string().nullable(),
  })
  .meta({ id: 'Token' });
export type TokenWire = z.infer<typeof tokenSchema>;

/** `secret` is told this once. */
export const tokenMadeSchema = z.object({ token: tokenSchema, secret: z.string() });
