import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { ClientAddress } from './client-address.ts';

/** What a request carries along. */
export interface AppEnv {
  /** Absent where a request did not come over a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: { requestId: string; client: ClientAddress };
}

export type AppContext = Context<AppEnv>;
