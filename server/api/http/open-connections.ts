import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { LIMITS } from '../../core/limits.ts';
import type { AppOptions } from '../app-options.ts';
import type { AppContext } from './app-env.ts';
import { createClientAddressReader } from './client-address.ts';
import { Refusal } from './problem.ts';

/**
 * Creates a counter of the open connections or requests of each network. The returned function counts `holder` until it emits one
 * of `ends`. If the network already has `max`, the function counts nothing and returns false.
 */
function createOpenCount(max: number) {
  const openOf = new Map<string, number>();
  return (network: string, holder: EventEmitter, ends: readonly string[]): boolean => {
    const open = openOf.get(network) ?? 0;
    if (open >= max) return false;
    openOf.set(network, open + 1);
    let isOpen = true;
    const leave = () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (openOf.get(network) ?? 1) - 1;
      if (left === 0) openOf.delete(network);
      else openOf.set(network, left);
    };
    for (const end of ends) holder.once(end, leave);
    return true;
  };
}

/**
 * Returns a function that counts a new connection, or returns false if its network has reached the limit. Trusted proxies have no
 * limit, because many people connect through them. Logs the first refusal: the address may be a proxy missing in TRUSTED_PROXIES.
 */
export function createConnectionLimit({
  config: { trustedProxies, limits },
  telemetry,
  log,
}: Pick<AppOptions, 'config' | 'telemetry' | 'log'>): (socket: Socket) => boolean {
  const clients = createClientAddressReader(trustedProxies);
  const enter = createOpenCount(limits.connectionsPerAddress);
  let isLogged = false;
  return (socket) => {
    const { remoteAddress: address } = socket;
    if (clients.isTrusted(address)) return true;
    if (enter(clients.read(address, undefined).network, socket, ['close'])) return true;
    telemetry?.metrics.countReachedLimit(LIMITS.connectionsPerAddress.setting);
    if (!isLogged) log.warn({ address }, TOO_MANY_CONNECTIONS);
    isLogged = true;
    return false;
  };
}

const TOO_MANY_CONNECTIONS =
  `An address has reached ${LIMITS.connectionsPerAddress.setting}, so new connections from it are refused. ` +
  'If it belongs to your proxy, add it to TRUSTED_PROXIES. This is logged only once.';

/**
 * Returns a function that refuses a request with a body while `max` other bodies of the client have not arrived completely. Only
 * clients behind a trusted proxy can reach this limit; others reach the limit of connections first.
 */
export function createReceivingLimit(max: number): (c: AppContext) => Refusal | null {
  const enter = createOpenCount(max);
  return (c) => {
    const incoming = c.env?.incoming;
    const hasBody = c.req.header('content-length') ?? c.req.header('transfer-encoding');
    if (incoming === undefined || hasBody === undefined) return null;
    if (enter(c.get('client').network, incoming, ['end', 'close'])) return null;
    // Close the connection, because Node would wait for the rest of the body.
    c.header('Connection', 'close');
    return new Refusal(
      'too_many_requests',
      `The limit of ${max} requests at a time from one address is reached.`,
      { limit: 'connectionsPerAddress', retryAfterSeconds: 60 },
    );
  };
}
