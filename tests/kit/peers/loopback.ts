import { networkInterfaces } from 'node:os';

/** Returns whether this machine has ::1; many containers do not. */
export function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some(({ address }) => address === '::1'),
  );
}
