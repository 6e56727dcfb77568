import { clientsRefusing, connectingClients } from '../judge/clients/refusals.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import { KEY_TYPE_NAMES } from '../../../contract/check-words.ts';
import { displayName } from '../endpoint.ts';
import type { CheckedEndpoint } from '../target.ts';
import { definitionOf, type Finding, type FindingCode, kindOf } from '../finding.ts';
import { ADDRESS_FINDINGS } from '../findings/addresses.ts';
import type { AuthorityPlace, Words } from '../findings/definition.ts';
import { CHAIN_ORDER } from '../findings/sent-chain.ts';
import { type DescribedFinding, failureSentence } from './reach-finding.ts';
import { OWN_ROOT_FILE, type Reproduction, showCertificates } from './reproduce.ts';
import { addressLabel, endpointAt } from '../srv.ts';
import type { Failure, PostureVerdict, Verdict } from '../verdict.ts';

/** Returns the message of a finding, a sentence. `host`: display name of the host. */
export function findingMessage(finding: Finding, host: string): string {
  return wordsOf(finding, host).message;
}

/** Returns a few words about a finding for a card; undefined if the finding has only its message. */
export function shortLine({ code, facts, addresses }: Finding): string | undefined {
  return kindOf(facts).short?.(facts, { addresses: addresses.length }) ?? definitionOf(code)?.short;
}

/** Returns whether every address was examined for the finding, and its words do not say yet how many have it. */
export function isOfEachAddress({
  code,
  fingerprint,
  keyType,
}: Pick<Finding, 'code' | 'fingerprint' | 'keyType'>): boolean {
  const isSaid = Object.hasOwn(ADDRESS_FINDINGS, code);
  return keyType === null && !isSaid && (fingerprint !== null || code === 'legacy_tls');
}

/** Returns one concrete thing to do about a finding; null if a stored finding has none. `host`: display name of the host. */
export function findingFix(
  { code, severity, facts, attachment }: Pick<Finding, 'code' | 'severity' | 'facts' | 'attachment'>,
  host: string,
  authorityPlace: AuthorityPlace = 'profile',
): string | null {
  if (facts.kind === 'stored_words') return facts.words.fix;
  const special = kindOf(facts).fix?.(facts, { host });
  if (special !== undefined) return special;
  if (attachment === 'chain')
    return severity === 'note'
      ? `Send this file instead: ${CHAIN_ORDER}`
      : 'Send this file: the certificate and its intermediates, in the right order.';
  const fix = definitionOf(code)?.fix;
  return typeof fix === 'function' ? fix({ severity, host, authorityPlace }) : (fix ?? null);
}

/** Returns a command for a POSIX shell that shows a finding; null if neither `curl` nor `openssl` can show it. */
export function reproductionCommand({
  code,
  ...target
}: Reproduction & { code: FindingCode }): string | null {
  return (definitionOf(code)?.command ?? showCertificates)(target);
}

/** Returns the findings of a verdict in words, in their order. */
export function describeFindings(
  { findings, addresses, hasOwnRoot }: Pick<Verdict, 'findings' | 'addresses' | 'hasOwnRoot'>,
  endpoint: CheckedEndpoint,
  authorityPlace?: AuthorityPlace,
): DescribedFinding[] {
  const host = displayName(endpoint);
  return findings.map((finding) => {
    const { facts, keyType, shownTo: _, ...known } = finding;
    const rest = { ...known, clients: clientsRefusing(finding) };
    if (facts.kind === 'stored_words') return { ...rest, ...facts.words };
    const { message, evidence } = wordsOf(finding, host);
    const shown = {
      code: finding.code,
      rule: facts.kind === 'refused_by_clients' ? facts.rule : undefined,
      tlsVersion: facts.kind === 'legacy_tls' ? facts.tlsVersion : null,
      keyType,
      hasOwnRoot,
    };
    const places = commandPlaces(finding, addresses);
    const servers = places.flatMap(({ address, server }) =>
      server === undefined ? [] : { ...shown, endpoint: endpointAt(endpoint, server), addresses: [address] },
    );
    const command =
      servers.length === 0
        ? reproductionCommand({ ...shown, endpoint, addresses: places.map(({ address }) => address) })
        : servers
            .slice(0, finding.code === 'certificates_differ' ? MAX_SERVERS : 1)
            .flatMap((server) => reproductionCommand(server) ?? [])
            .join('; ');
    return {
      ...rest,
      message,
      fix: findingFix(finding, host, authorityPlace),
      command,
      evidence: command?.includes(OWN_ROOT_FILE) === true ? [...evidence, OWN_ROOT_EVIDENCE] : evidence,
    };
  });
}

const OWN_ROOT_EVIDENCE = {
  label: `${OWN_ROOT_FILE} in the command`,
  value: 'the file with your authority’s root',
};

/** A verdict with its findings and its failure in words, for exports. */
export type DescribedVerdict = Omit<Verdict, 'failure' | 'findings' | 'posture'> & {
  failure: (Omit<Failure, 'detail'> & { message: string }) | null;
  findings: DescribedFinding[];
  posture: (Omit<PostureVerdict, 'findings'> & { findings: DescribedFinding[] }) | null;
  clients: ReturnType<typeof connectingClients>;
};

/** Returns a verdict in words. Leaves out what servers replied, which only the report shows. */
export function describeVerdict(verdict: Verdict, endpoint: CheckedEndpoint): DescribedVerdict {
  const { failure, posture } = verdict;
  return {
    ...verdict,
    addresses: verdict.addresses.map((seen) => ({
      ...seen,
      failure: seen.failure && { stage: seen.failure.stage, reason: seen.failure.reason },
    })),
    failure: failure && {
      stage: failure.stage,
      reason: failure.reason,
      message: failureSentence(failure, displayName(endpoint)),
    },
    findings: describeFindings(verdict, endpoint),
    clients: connectingClients(verdict, endpoint.protocol),
    posture: posture && {
      ...posture,
      findings: describeFindings({ ...verdict, findings: posture.findings }, endpoint),
    },
  };
}

function wordsOf({ facts, addresses, keyType, shownTo = [], clients = [] }: Finding, host: string): Words {
  const words = kindOf(facts).words(facts, { addresses: addresses.length, clients, host });
  if (keyType === null) return words;
  // A newer version may have stored a key type that this one does not know.
  const name = KEY_TYPE_NAMES[keyType] ?? keyType;
  if (shownTo.length > 0) {
    const names = clientNames(shownTo);
    const get = shownTo.length === 1 ? 'gets' : 'get';
    return {
      message: `${names} ${get} another certificate, with an ${name} key. ${words.message}`,
      evidence: [...words.evidence, { label: 'Shown to', value: names }],
    };
  }
  // All clients accept ECDSA or RSA, so only a client that does not accept the usual type gets the leaf of the other type.
  const isCommon = keyType === 'rsa' || keyType === 'ecdsa';
  const who = isCommon
    ? `clients that accept only ${name} signatures`
    : `clients that accept ${name} signatures`;
  return {
    message: `${who.replace(/^c/, 'C')} ${isCommon ? 'get' : 'may get'} a different certificate. ${words.message}`,
    evidence: [...words.evidence, { label: 'Shown to', value: who }],
  };
}

/** Maximum number of servers that the command to reproduce a finding connects to. */
const MAX_SERVERS = 6;

/**
 * Returns the addresses for the command: all that answered for `certificates_differ`, else those that show the finding. If all that answered show
 * it, returns only servers with a name of their own, because a shorter command by name is enough for the others.
 */
function commandPlaces({ code, addresses }: Finding, all: Verdict['addresses']): readonly ShownPlace[] {
  const answered = all.filter(({ failure }) => failure === null);
  const known = new Map(
    all.flatMap((one) => [[one.address, one] as const, [addressLabel(one), one] as const]),
  );
  const showing = addresses.map((address) => known.get(address) ?? { address });
  if (code === 'certificates_differ') return addresses.length === 0 ? [] : answered;
  const isEverywhere = code !== 'address_unreachable' && addresses.length === answered.length;
  return isEverywhere ? answered.filter(({ server }) => server !== undefined) : showing;
}

type ShownPlace = Pick<Verdict['addresses'][number], 'address' | 'server'>;
