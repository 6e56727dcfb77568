import { isIP } from 'node:net';
import { ConfigError } from './config-error.ts';

/** Which addresses beside public ones this deployment reaches, and for whom. Ranges are `address/length`. */
export interface ReachConfig {
  signups: 'open' | 'invite' | 'closed';
  /** For checks, and for what the operator sets: canaries and the heartbeat. */
  egressAllowCidrs: string[];
  /** For channels: webhooks and the other receivers whose addresses people enter. */
  channelAllowCidrs: string[];
  /** Whether people without an account may have a host looked at. */
  tryIt: boolean;
}

/** What CHANNEL_ALLOW_CIDRS says instead of a range to open none. */
const NONE = 'none';

/**
 * Reads which ranges are open for what. With open sign-ups, opened ranges are for checks of signed-in people alone, unless the
 * operator allows more by name. @throws ConfigError
 */
export function reachConfig({
  signups,
  egress,
  channels,
  tryIt,
}: {
  signups: ReachConfig['signups'];
  /** Entries of EGRESS_ALLOW_CIDRS. */
  egress: readonly string[];
  /** Entries of CHANNEL_ALLOW_CIDRS; empty where it is not set. */
  channels: readonly string[];
  /** TRY_IT; null where it is not set. */
  tryIt: boolean | null;
}): ReachConfig {
  const egressAllowCidrs = egress.map((entry) => addressRange('EGRESS_ALLOW_CIDRS', entry));
  const unset = signups === 'open' ? [] : egressAllowCidrs;
  const set = channels.filter((entry, _, { length }) => entry !== NONE || length > 1);
  return {
    signups,
    egressAllowCidrs,
    channelAllowCidrs:
      channels.length === 0 ? unset : set.map((entry) => addressRange('CHANNEL_ALLOW_CIDRS', entry)),
    tryIt: signups === 'open' && (tryIt ?? egress.length === 0),
  };
}

/** Says what anybody who signs up can reach in the operator's own network; null where that is nothing. */
export function reachOfStrangers({
  signups,
  egressAllowCidrs: egress,
  channelAllowCidrs: channels,
  tryIt,
}: ReachConfig): string | null {
  if (signups !== 'open' || egress.length + channels.length === 0) return null;
  const checks = `have hosts in ${egress.join(', ')} checked (EGRESS_ALLOW_CIDRS)${tryIt ? ', even without an account (TRY_IT=on)' : ''}`;
  const messages = `have messages sent to ${channels.join(', ')} (CHANNEL_ALLOW_CIDRS)`;
  const can = [...(egress.length > 0 ? [checks] : []), ...(channels.length > 0 ? [messages] : [])].join(
    ', and ',
  );
  const cannot =
    channels.length === 0
      ? ' Webhooks and other channels reach these ranges only where CHANNEL_ALLOW_CIDRS lists them.'
      : '';
  return `SIGNUPS=open lets anybody ${can}. Set SIGNUPS=invite if these ranges are not for everybody.${cannot}`;
}

/** Checks one entry of a list of ranges. A single address becomes the range of it alone. @throws ConfigError */
export function addressRange(name: string, value: string): string {
  const [address = '', prefix, ...rest] = value.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(length <= longest))
    throw new ConfigError(`${name} must list ranges like 10.0.0.0/8 or fd00::/8, but it has "${value}".`);
  return `${address}/${length}`;
}
