import type { Client, Protocol } from '../../../../contract/words.ts';
import type { Certificate } from '../../../pki/index.ts';
import { certificateName } from '../../facts.ts';
import type { ChainFinding, ClientRuleCode, Severity } from '../../finding.ts';

/** One reason why some clients refuse a certificate that RFC 5280 or other clients accept. */
export interface ClientRule<Context> {
  code: ClientRuleCode;
  clients: readonly Client[];
  /** How this is known: `measured` by npm run test:clients, or the code or policy of the clients. */
  source: string;
  applies(context: Context): boolean;
}

/** Returns a finding for each rule that applies. `role`: that of the certificate in its chain. */
export function brokenRules<Context extends { certificate: Certificate }>(
  rules: readonly ClientRule<Context>[],
  context: Context,
  role: 'leaf' | 'intermediate',
  protocol: Protocol,
): ChainFinding[] {
  const { certificate } = context;
  return rules.flatMap((rule): ChainFinding[] => {
    const clients = rule.clients.filter(connectsTo(protocol));
    if (clients.length === 0 || !rule.applies(context)) return [];
    const authority = role === 'leaf' ? null : certificateName(certificate);
    return [
      {
        code: 'refused_by_clients',
        severity: severityOf(clients, protocol),
        fingerprint: certificate.fingerprint,
        facts: { kind: 'refused_by_clients', rule: rule.code, authority },
        clients,
      },
    ];
  });
}

/** Returns whether a client speaks the protocol. Chrome and Firefox speak only https; `apple` stands for all Apple apps. */
export function connectsTo(protocol: Protocol): (client: Client) => boolean {
  return (client) => protocol === 'https' || (client !== 'chromium' && client !== 'firefox');
}

const BROWSERS: ReadonlySet<Client> = new Set<Client>(['chromium', 'firefox', 'apple']);

/** Returns `critical` if OpenSSL refuses, or a browser over https; else `warning`. */
export function severityOf(clients: readonly Client[], protocol: Protocol): Severity {
  const isCritical = clients.some(
    (client) => client === 'openssl' || (protocol === 'https' && BROWSERS.has(client)),
  );
  return isCritical ? 'critical' : 'warning';
}
