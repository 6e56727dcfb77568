import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { LimitName } from '../../core/index.ts';
import type { ClientAddress } from './client-address.ts';

/** Hono's type of our request context. */
export interface AppEnv {
  /** Empty if the request did not arrive over a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    client: ClientAddress;
    /** The limit that refused this request, for the metrics. */
    reachedLimit?: LimitName | null;
  };
}

export type AppContext = Context<AppEnv>;
