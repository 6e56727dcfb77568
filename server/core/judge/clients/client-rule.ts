import type { Protocol } from '../../../../contract/protocols.ts';
import { type Client, CLIENT_NAMES, CLIENTS } from '../../../../contract/check-words.ts';
import type { Certificate } from '../../../pki/certificate.ts';
import { certificateName } from '../../facts.ts';
import type { Found, Severity } from '../../findings/definition.ts';
import type { HelloPart, HelloReaction } from '../../observation.ts';
import { listed } from '../../one-line.ts';
import type { Command } from '../../report/reproduce.ts';

/** A finding about clients that refuse. */
export type Refusal<Code extends string> = Found<
  'refused_by_clients',
  {
    kind: 'refused_by_clients';
    rule: Code;
    authority: string | null;
    evidence?: HelloEvidence;
  }
>;
/** How a server reacts to parts of a ClientHello that it does not accept. */
export interface HelloEvidence {
  reaction: HelloReaction;
  parts: HelloPart[];
}

/** What a rule says. The codes of rules are stored, so they never change. */
export interface Reason {
  /** Completes “Chrome refuses this certificate: …”. */
  why: string;
  /** What to do. Default: to have the certificate reissued without the fault. */
  fix?: string;
  /** Whether the rule is about the connection, and not about a certificate. */
  isOfConnection?: true;
  /** Whether the rule applies to every certificate that the server may serve, for example because it is about the key exchange group. */
  isOfEveryHandshake?: true;
  /** Whether we cannot know if the clients refuse, because it depends on the order of the roots in their stores. */
  isUncertain?: true;
  /** Whether only some programs that use the client refuse; `why` says which. */
  isOfSomePrograms?: true;
  /** Whether the owner of the host can fix even a fault of a CA certificate, by not sending it or by trusting another one. */
  isForOwner?: true;
  /** Shows what the rule is about. Default: a command that shows the certificate. */
  command?: Command;
  /** For clients whose older versions accept: the first version that refuses. The older versions are still in use. */
  refusingSince?: Versions;
}

/** Versions of clients. */
export type Versions = Readonly<Partial<Record<Client, string>>>;

/**
 * One reason why some clients refuse a certificate that RFC 5280 or other clients accept. Several rules may have the same code: the first
 * of them says why.
 */
export interface ClientRule<Context, Code extends string = string> extends Partial<Reason> {
  code: Code;
  clients: readonly Client[];
  /** How this is known: `measured` by npm run test:clients, or the code or policy of the clients. */
  source: string;
  applies(context: Context): boolean;
  /**
   * For a rule that only some programs with this client apply, or that depends on their trust stores. Default: `severityOf` its clients.
   */
  severity?: Severity;
  /**
   * For clients whose older versions refuse: the first version that accepts. The older versions are still in use, but a finding that
   * only they cause is not critical.
   */
  acceptingSince?: Versions;
  /** Whether clients apply the rule to the anchor. Default: all clients except Java apply it, unless it is about names. */
  ofAnchor?: 'never' | 'only';
  /** Whether Go cannot read a certificate that breaks the rule, and refuses the connection even if the path does not need that certificate. */
  stopsParsing?: true;
}

/** Advice about certificates of an authority that does not follow the rules. */
export const FIX_AUTHORITY =
  'Correct the authority’s settings, and have the certificates concerned reissued by it.';

/** Returns whether a rule is about a part of a client’s ClientHello that the server does not accept. */
export function isHelloRule(rule: string): boolean {
  return rule.startsWith('hello_');
}

/** A certificate of a valid path. */
export interface PathLink {
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

/** Returns a finding for each reason that applies, with all clients of its rules. `role`: role of the certificate in its chain. */
export function refusalsBy<Context extends { certificate: Certificate }, Code extends string>(
  rules: readonly ClientRule<Context, Code>[],
  context: Context,
  role: 'leaf' | 'intermediate',
  protocol: Protocol,
): Refusal<Code>[] {
  const { certificate } = context;
  const broken = rules.filter((rule) => rule.clients.some(connectsTo(protocol)) && rule.applies(context));
  if (broken.length === 0) return [];
  const authority = role === 'leaf' ? null : certificateName(certificate);
  return [...Map.groupBy(broken, ({ code }) => code)].map(([code, reasons]): Refusal<Code> => {
    const refusing = (those: (rule: ClientRule<Context>, client: Client) => boolean): Client[] =>
      CLIENTS.filter(
        (client) =>
          connectsTo(protocol)(client) &&
          reasons.some((rule) => rule.clients.includes(client) && those(rule, client)),
      );
    const now = refusing(({ acceptingSince }, client) => acceptingSince?.[client] === undefined);
    return {
      code: 'refused_by_clients',
      severity: reasons[0]?.severity ?? severityOf(now, protocol),
      fingerprint: certificate.fingerprint,
      facts: { kind: 'refused_by_clients', rule: code, authority },
      clients: refusing(() => true),
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

/** Returns the names of clients: "Go and GnuTLS". */
export function clientNames(clients: readonly Client[]): string {
  // A newer version may have stored a client that this one does not know.
  return listed(clients.map((client) => CLIENT_NAMES[client] ?? client));
}
