import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { LimitName } from '../../core/index.ts';
import type { ClientAddress } from './client-address.ts';

/** What a request carries along. */
export interface AppEnv {
  /** Absent where a request did not come over a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    client: ClientAddress;
    /** Set by an answer that refuses because of a limit, for whoever counts it. */
    reachedLimit?: LimitName | null;
  };
}

export type AppContext = Context<AppEnv>;
