import { type AddressPolicy, exchange, type Resolver } from '../../egress/index.ts';

/** Tells that the product works. Never rejects for what the network does. */
export type Ping = (stopping: AbortSignal) => Promise<{ delivered: boolean; detail: string }>;

const DEADLINE_MS = 10_000;
const MAX_BYTES = 4_096;

/** A GET of an address that the operator chose, over the guarded way out. Any 2xx is well; redirects are not followed. */
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
    // The address itself mostly is a secret: it stays out of what is kept.
    if (!answer.ok) return { delivered: false, detail: `HEARTBEAT_URL: ${answer.reason}.` };
    const delivered = answer.status >= 200 && answer.status < 300;
    return { delivered, detail: `HEARTBEAT_URL answered ${answer.status}.` };
  };
}
