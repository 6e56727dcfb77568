/** A personal token; its secret is kept as a SHA-256 alone. */
export interface ApiTokensTable {
  account_id: string;
  id: string;
  token_hash: string;
  /** How the token begins. */
  prefix: string;
  name: string;
  /** JSON list. */
  scopes: string;
  created_at: number;
  last_used_at: number | null;
  expires_at: number | null;
}

/** A call that was, or is being, carried out under a key of its caller's. */
export interface IdempotencyKeysTable {
  account_id: string;
  /** SHA-256 of the key. */
  key_hash: string;
  /** SHA-256 of the call and what it was asked with. */
  request_hash: string;
  /** Who carries it out: another one for each try. */
  attempt: string;
  /** From then on whoever was carrying it out is taken for dead. */
  lease_expires_at: number;
  /** Of the answer; null while there is none. */
  status: number | null;
  content_type: string | null;
  body: string | null;
  created_at: number;
}
