import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { LimitName } from '../../core/limits.ts';
import type { ClientAddress } from './client-address.ts';

/** Bindings and variables of our request context in Hono. */
export interface AppEnv {
  /** Node's request and response; empty if the request did not arrive over a socket. */
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    client: ClientAddress;
    /** The operator's limit that refused this request or a part of it, for the metrics; null or absent if none did. */
    reachedLimit?: LimitName | null;
    /** Whether a client that asks for leniency gets this refusal as a successful answer. */
    mayBeLenient?: boolean;
  };
}

export type AppContext = Context<AppEnv>;
