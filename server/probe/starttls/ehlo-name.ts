import { isIP } from 'node:net';
import { isLocalName, isPublicAddress } from '../../egress/address-policy.ts';

/** Names by which we may introduce ourselves to mail servers. */
export interface OwnNames {
  /** The operator's choice, EHLO_NAME; null: `ehloName` decides. */
  ehloName: string | null;
  /** Host of PUBLIC_URL, as in a URL. */
  publicHost: string;
}

/** A name that says nothing about us and needs no lookup. Mail programs behind NAT send it, too. */
const ANONYMOUS = '[127.0.0.1]';

/**
 * Returns our name for EHLO (RFC 5321 §4.1.4), which some servers verify: our address, as the server sees it, or behind NAT the host of
 * PUBLIC_URL. Never reveals an address of the operator's network to a public server.
 */
export function ehloName(
  { localAddress, remoteAddress }: { localAddress?: string | undefined; remoteAddress?: string | undefined },
  { ehloName: chosen, publicHost }: OwnNames,
): string {
  if (chosen !== null) return chosen;
  const isBehindNat = isPublicAddress(remoteAddress ?? '') && !isPublicAddress(localAddress ?? '');
  const local = isBehindNat ? null : addressLiteral(localAddress ?? '');
  if (local !== null) return local;
  const address = publicHost.replace(/^\[|\]$/g, '');
  if (isPublicAddress(address)) return addressLiteral(address) ?? ANONYMOUS;
  return isIP(address) === 0 && !isLocalName(address) ? address : ANONYMOUS;
}

/** Returns an address literal (RFC 5321 §4.1.3) without the zone of a link-local address; null if the text is no address. */
function addressLiteral(text: string): string | null {
  const [address = ''] = text.split('%');
  switch (isIP(address)) {
    case 4:
      return `[${address}]`;
    case 6:
      return `[IPv6:${address}]`;
    default:
      return null;
  }
}
