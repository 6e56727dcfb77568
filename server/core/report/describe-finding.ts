import { fixFor, type OwnAuthorities } from './advice.ts';
import { chainWords } from './chain-words.ts';
import { refusalFix, refusalWords } from './client-words.ts';
import { clientsRefusing, connectingClients } from '../judge/clients/refusals.ts';
import { type Client, KEY_TYPE_NAMES } from '../../../contract/check-words.ts';
import { displayName, unicodeName } from '../endpoint.ts';
import type { CheckedEndpoint } from '../target.ts';
import type { AddressFacts, Finding } from '../finding.ts';
import { clientNames, http2Words } from './connection-words.ts';
import { leafWords, type Words } from './leaf-words.ts';
import { longDate, longInstant } from '../long-date.ts';
import { type DescribedFinding, failureSentence, STAGE_WORDS, whatHappened } from './reach-finding.ts';
import { OWN_ROOT_FILE, reproductionCommand } from './reproduce.ts';
import { endpointAt, placeOf } from '../srv.ts';
import type { Failure, PostureVerdict, Verdict } from '../verdict.ts';

/** Returns the message of a finding, a sentence. `host`: display name of the host. */
export function findingMessage(finding: Finding, host: string): string {
  return wordsOf(finding, host).message;
}

/** Returns one concrete thing to do about a finding; null if a stored finding has none. `host`: display name of the host. */
export function findingFix(finding: Finding, host: string, ownAuthorities?: OwnAuthorities): string | null {
  const { facts } = finding;
  if (facts.kind === 'stored_words') return facts.words.fix;
  if (facts.kind === 'refused_by_clients') return refusalFix(facts);
  if ('minutes' in facts) return WAIT;
  if (facts.kind === 'path_fault' && facts.fault === 'expired') return REPLACE_ROOT;
  const named = facts.kind === 'other_names' && facts.expected ? unicodeName(facts.expected) : host;
  return fixFor(finding, named, ownAuthorities);
}

const WAIT =
  'Wait until then. If each new certificate shows this, your authority’s clock is fast, or ours is slow.';
const REPLACE_ROOT =
  'If this authority is your own, renew its certificate, and replace it everywhere it is trusted. Otherwise get a certificate from another authority.';

/** Returns the findings of a verdict in words, in their order. */
export function describeFindings(
  { findings, addresses, hasOwnRoot }: Pick<Verdict, 'findings' | 'addresses' | 'hasOwnRoot'>,
  endpoint: CheckedEndpoint,
  ownAuthorities?: OwnAuthorities,
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
      fix: findingFix(finding, host, ownAuthorities),
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
  const words = wordsFor(facts, { addresses: addresses.length, clients, host });
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
  // All clients accept ECDSA and RSA, so that only those without the other type get a different certificate.
  const isCommon = keyType === 'rsa' || keyType === 'ecdsa';
  const who = isCommon
    ? `clients that accept only ${name} signatures`
    : `clients that accept ${name} signatures`;
  return {
    message: `${who.replace(/^c/, 'C')} ${isCommon ? 'get' : 'may get'} a different certificate. ${words.message}`,
    evidence: [...words.evidence, { label: 'Shown to', value: who }],
  };
}

function wordsFor(
  facts: Finding['facts'],
  { addresses, clients, host }: { addresses: number; clients: readonly Client[]; host: string },
): Words {
  switch (facts.kind) {
    case 'refused_by_clients':
      return refusalWords(facts, clients);
    case 'http2_fault':
      return http2Words(facts.fault, clients);
    case 'stored_words':
      return facts.words;
    case 'addresses_differ':
    case 'shown_in_turn':
    case 'other_without_alpn':
    case 'legacy_tls':
    case 'addresses_unreachable':
    case 'addresses_left_out':
    case 'start_tls_code':
      return addressWords(facts, addresses);
    case 'expired':
    case 'not_yet_valid':
    case 'other_names':
    case 'long_lifetime':
    case 'unreadable_leaf':
    case 'revoked':
    case 'staple_missing':
    case 'staple_invalid':
    case 'replacement_wanted':
    case 'renewal_overdue':
      return leafWords(facts, host);
    default:
      return chainWords(facts);
  }
}

/** Maximum number of servers that the command to reproduce a finding connects to. */
const MAX_SERVERS = 6;

/**
 * Returns the addresses for the command: all that answered for `certificates_differ`, else those that show the finding.
 * If all that answered show it, the shorter command by name is enough, except for servers with a name of their own.
 */
function commandPlaces({ code, addresses }: Finding, all: Verdict['addresses']): readonly ShownPlace[] {
  const answered = all.filter(({ failure }) => failure === null);
  const known = new Map(all.flatMap((one) => [[one.address, one] as const, [placeOf(one), one] as const]));
  const showing = addresses.map((address) => known.get(address) ?? { address });
  if (code === 'certificates_differ') return addresses.length === 0 ? [] : answered;
  const isEverywhere = code !== 'address_unreachable' && addresses.length === answered.length;
  return isEverywhere ? answered.filter(({ server }) => server !== undefined) : showing;
}

type ShownPlace = Pick<Verdict['addresses'][number], 'address' | 'server'>;

/** Returns the words of a finding about the addresses of a host. `count`: number of addresses that show it. */
function addressWords(facts: Exclude<AddressFacts, { kind: 'http2_fault' }>, count: number): Words {
  switch (facts.kind) {
    case 'addresses_differ':
      return {
        message: difference(facts, count),
        evidence: facts.evidence.flatMap(({ name, serialNumber, notAfter, addresses }) => [
          { label: 'Certificate', value: name },
          { label: 'Serial number', value: serialNumber },
          { label: 'Valid until', value: longInstant(notAfter) },
          { label: 'At', value: addresses.join(', ') },
        ]),
      };
    case 'shown_in_turn': {
      const { certificates } = facts;
      const first = certificates[0]?.notAfter ?? 0;
      return {
        message: `The host alternates between ${certificates.length} certificates, probably from several servers behind one address. The earliest expires on ${longDate(first, 'UTC')}.`,
        evidence: certificates.map(({ fingerprint, notAfter }) => ({
          label: `Until ${longDate(notAfter, 'UTC')}`,
          value: `SHA-256 ${fingerprint}`,
        })),
      };
    }
    case 'other_without_alpn': {
      const { name, names, total, notAfter, evidence } = facts;
      const more = total - names.length;
      return {
        message: `Clients that send no ALPN, such as old programs and monitoring tools, get another certificate: ${name}, valid until ${longDate(notAfter, 'UTC')}.`,
        evidence: [
          { label: 'Certificate', value: name },
          {
            label: 'Names',
            value: total === 0 ? 'none' : names.join(', ') + (more > 0 ? ` and ${more} more` : ''),
          },
          { label: 'Serial number', value: evidence.serialNumber },
          { label: 'Valid until', value: longInstant(notAfter) },
        ],
      };
    }
    case 'legacy_tls':
      return {
        message: `The server supports only outdated encryption (${facts.tlsVersion}), which browsers refuse.`,
        evidence: [
          { label: 'TLS version', value: facts.tlsVersion },
          { label: 'Cipher', value: facts.evidence.cipher },
        ],
      };
    case 'addresses_unreachable':
      return {
        message: `We could not check ${count} of ${facts.total} addresses: the host ${whatHappened(facts.reason)}.`,
        evidence: facts.evidence.map(({ address, stage, durationMs }) => ({
          label: address,
          value: `failed at ${STAGE_WORDS[stage]} after ${Math.round(durationMs)} ms`,
        })),
      };
    case 'addresses_left_out':
      return {
        message:
          facts.count === 1
            ? 'One address was left out, because this server may not check it.'
            : `${facts.count} addresses were left out, because this server may not check them.`,
        evidence: [],
      };
    case 'start_tls_code':
      return {
        message: `The server answered AUTH TLS with the code ${facts.code} instead of 234, which RFC 4217 requires.`,
        evidence: [],
      };
    default:
      return facts satisfies never;
  }
}

function difference(
  { read, certificates, others, notAfter }: Extract<AddressFacts, { kind: 'addresses_differ' }>,
  count: number,
): string {
  const isOne = count === 1;
  const share = `${count} of ${read} addresses`;
  const date = longDate(notAfter, 'UTC');
  switch (others) {
    case 'its_renewals':
      return `${share} still ${isOne ? 'serves' : 'serve'} the old certificate, which expires on ${date}.`;
    case 'later':
      return `${share} ${isOne ? 'serves' : 'serve'} a certificate that expires earlier than the others, on ${date}.`;
    default:
      return `${read} addresses serve ${certificates} different certificates.`;
  }
}
