import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { ConfigError } from './config-error.ts';

/**
 * Non-public addresses that this deployment may connect to, by purpose, and who may use it. Ranges have the form
 * `address/length`.
 */
export interface EgressConfig {
  signups: 'open' | 'invite' | 'closed';
  /** Ranges open to checks and all that they fetch, to icons, to canary hosts and to the heartbeat. */
  egressAllowCidrs: string[];
  /** Ranges open to webhooks and other notification channels, whose addresses users enter. */
  channelAllowCidrs: string[];
  /** Whether visitors without an account may run a preview check. */
  tryIt: boolean;
  /** Path of the file whose names win over DNS in checks and all that they fetch; null: none. */
  hostsFile: string | null;
  /** Path of the file whose names win over DNS in messages to channels; null: none. */
  channelHostsFile: string | null;
}

/** Value of CHANNEL_ALLOW_CIDRS that opens no range. */
const NONE = 'none';
const HOSTS_FILE = '/etc/hosts';

/**
 * Parses the open ranges. With SIGNUPS=open, channels and preview checks do not reach EGRESS_ALLOW_CIDRS, unless
 * CHANNEL_ALLOW_CIDRS or TRY_IT allow it explicitly. @throws ConfigError
 */
export function egressConfig({
  signups,
  egress,
  channels,
  tryIt,
  hostsFile,
}: {
  signups: EgressConfig['signups'];
  /** Entries of EGRESS_ALLOW_CIDRS. */
  egress: readonly string[];
  /** Entries of CHANNEL_ALLOW_CIDRS; empty if it is not set. */
  channels: readonly string[];
  /** Value of TRY_IT; null if it is not set. */
  tryIt: boolean | null;
  /** Value of HOSTS_FILE; null if it is not set. */
  hostsFile: string | null;
}): EgressConfig {
  const egressAllowCidrs = egress.map((entry) => parseAddressRange('EGRESS_ALLOW_CIDRS', entry));
  const channelDefault = signups === 'open' ? [] : egressAllowCidrs;
  const channelEntries = channels.filter((entry, _, { length }) => entry !== NONE || length > 1);
  const channelAllowCidrs =
    channels.length === 0
      ? channelDefault
      : channelEntries.map((entry) => parseAddressRange('CHANNEL_ALLOW_CIDRS', entry));
  return {
    signups,
    egressAllowCidrs,
    channelAllowCidrs,
    hostsFile: hostsFilePath(hostsFile, egressAllowCidrs),
    channelHostsFile: hostsFilePath(hostsFile, channelAllowCidrs),
    tryIt: signups === 'open' && (tryIt ?? egress.length === 0),
  };
}

/** Returns the file for names of a purpose. Without a setting it is used only if ranges are open to that purpose. */
function hostsFilePath(setting: string | null, openRanges: readonly string[]): string | null {
  if (setting === null) return openRanges.length > 0 ? HOSTS_FILE : null;
  if (isAbsolute(setting)) return setting;
  const isOn = { on: true, off: false }[setting.toLowerCase()];
  if (isOn === undefined)
    throw new ConfigError(
      `HOSTS_FILE must be on, off or an absolute path like /etc/hosts, but it is “${setting}”.`,
    );
  return isOn ? HOSTS_FILE : null;
}

/**
 * Returns a warning about what strangers can reach in the operator's network; null if that is nothing or sign-up is not open.
 */
export function egressWarning({
  signups,
  egressAllowCidrs: egress,
  channelAllowCidrs: channels,
  tryIt,
}: EgressConfig): string | null {
  if (signups !== 'open' || egress.length + channels.length === 0) return null;
  const checks = `have hosts in ${egress.join(', ')} checked (EGRESS_ALLOW_CIDRS)${tryIt ? ', even without an account (TRY_IT=on)' : ''}`;
  const messages = `have messages sent to ${channels.join(', ')} (CHANNEL_ALLOW_CIDRS)`;
  const can = [...(egress.length > 0 ? [checks] : []), ...(channels.length > 0 ? [messages] : [])].join(
    ', and ',
  );
  const cannot =
    channels.length === 0
      ? ' Webhooks and other channels reach these ranges only if CHANNEL_ALLOW_CIDRS lists them.'
      : '';
  return `SIGNUPS=open lets anybody ${can}. Set SIGNUPS=invite if not everybody may reach these ranges.${cannot}`;
}

/** Validates an entry of a setting that lists ranges. Turns an address into a range of length 32 or 128. @throws ConfigError */
export function parseAddressRange(setting: string, value: string): string {
  const [address = '', prefix, ...rest] = value.split('/');
  const family = isIP(address);
  const longest = family === 6 ? 128 : 32;
  const length = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(length <= longest))
    throw new ConfigError(`${setting} must list ranges like 10.0.0.0/8 or fd00::/8, but it has “${value}”.`);
  return `${address}/${length}`;
}
