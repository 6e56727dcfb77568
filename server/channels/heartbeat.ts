import type { AddressPolicy } from '../egress/address-policy.ts';
import { exchange } from '../egress/exchange.ts';
import type { Resolver } from '../egress/resolver.ts';

/** Reports to HEARTBEAT_URL that the product works. Never rejects because of network errors. */
export type Ping = (stopping: AbortSignal) => Promise<{ delivered: boolean; detail: string }>;

const DEADLINE_MS = 10_000;
const MAX_BYTES = 4_096;

/**
 * Returns a function that sends a GET request to the operator's URL. Every 2xx response means delivered. It follows no redirects.
 */
export function createPing({
  url,
  resolver,
  policy,
}: {
  url: URL;
  resolver: Resolver;
  policy: AddressPolicy;
}): Ping {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return async (signal) => {
    const answer = await exchange({
      url,
      resolver,
      policy,
      signal,
      deadlineMs: DEADLINE_MS,
      maxBytes: MAX_BYTES,
      longer: 'cut',
      ports: [port],
    });
    // Omit the URL in the stored detail, because it usually contains a secret.
    if (!answer.ok) return { delivered: false, detail: `HEARTBEAT_URL: ${answer.reason}.` };
    const delivered = answer.status >= 200 && answer.status < 300;
    return { delivered, detail: `HEARTBEAT_URL answered ${answer.status}.` };
  };
}
