import type { DomainWire } from '../../../../contract/domain.ts';
import { protocolName } from '../protocol-name.ts';

/** How the endpoint is spoken to, small after its name, where that is not https. */
export function ProtocolMark({ domain }: { domain: DomainWire }) {
  const name = protocolName(domain);
  return name && <span className="flex-none text-small text-fg-3">{name}</span>;
}
