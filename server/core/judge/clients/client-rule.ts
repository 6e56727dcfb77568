import { type Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENTS } from '../../../../contract/check-words.ts';
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
  /** Whether clients apply the rule to the anchor. Default: all clients except Java apply it, unless it is about names. */
  ofAnchor?: 'never' | 'only';
  /** Whether Go cannot read such a certificate, and refuses the connection even if its path does not need it. */
  stopsParsing?: true;
}

/**
 * For clients whose older versions refuse: the first version that accepts. The older versions are still in use, but a finding that only
 * they cause is not critical.
 */
export const ACCEPTING_SINCE: Readonly<Partial<Record<string, Partial<Record<Client, string>>>>> = {
  ml_dsa_key: { openssl: '3.5', go: '1.27' },
  slh_dsa_key: { openssl: '3.5' },
  large_chain: { go: '1.23' },
  many_constraints: { go: '1.26' },
} satisfies Partial<Record<ClientRuleCode, Partial<Record<Client, string>>>>;

/** For clients whose older versions accept: the first version that refuses. The older versions are still in use. */
export const REFUSING_SINCE: typeof ACCEPTING_SINCE = {
  hello_size: { openssl: '3.5', go: '1.24', java: '27' },
  hello_ml_kem: { openssl: '3.5', go: '1.24', java: '27' },
  hello_ml_dsa: { openssl: '3.5', go: '1.27' },
} satisfies Partial<Record<ClientRuleCode, Partial<Record<Client, string>>>>;

/** Severity of rules that only some programs with this client apply, or that depend on their trust stores. */
const SEVERITIES: Readonly<Partial<Record<ClientRuleCode, Severity>>> = {
  root_order: 'warning',
  // A user who adds an intermediate here may have its root on the machines that connect.
  partial_chain: 'note',
};

/** Returns whether a rule is about a part of a client’s ClientHello that the server does not accept. */
export function isHelloRule(rule: string): boolean {
  return rule.startsWith('hello_');
}

/** A certificate of a valid path. */
export interface Link {
  certificate: Certificate;
  /** The next certificate of the path. The issuer of the anchor is the anchor. */
  issuer: Certificate;
  /** Whether the next certificate is the anchor. */
  isBelowAnchor: boolean;
  isLeaf: boolean;
  leaf: Certificate;
  /** Number of CA certificates between this one and the leaf. */
  authoritiesBelow: number;
}

/** Returns a finding for each reason that applies, with all clients of its rules. `role`: that of the certificate in its chain. */
export function brokenRules<Context extends { certificate: Certificate }>(
  rules: readonly ClientRule<Context>[],
  context: Context,
  role: 'leaf' | 'intermediate',
  protocol: Protocol,
): ChainFinding[] {
  const { certificate } = context;
  const broken = rules.filter((rule) => rule.clients.some(connectsTo(protocol)) && rule.applies(context));
  if (broken.length === 0) return [];
  const authority = role === 'leaf' ? null : certificateName(certificate);
  return [...Map.groupBy(broken, ({ code }) => code)].map(([code, reasons]): ChainFinding => {
    const named = new Set(reasons.flatMap(({ clients }) => clients));
    const clients = CLIENTS.filter((client) => named.has(client) && connectsTo(protocol)(client));
    return {
      code: 'refused_by_clients',
      severity:
        SEVERITIES[code] ??
        severityOf(
          clients.filter((client) => ACCEPTING_SINCE[code]?.[client] === undefined),
          protocol,
        ),
      fingerprint: certificate.fingerprint,
      facts: { kind: 'refused_by_clients', rule: code, authority },
      clients,
    };
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
