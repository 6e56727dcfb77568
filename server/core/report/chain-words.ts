import type { ChainFacts, OtherPathFault, PathFault } from '../finding.ts';
import type { Words } from './leaf-words.ts';
import { longDate, longInstant } from '../long-date.ts';

/** Returns the words of a finding about the chain of a certificate, or about the path to its root. */
export function chainWords(facts: ChainFacts): Words {
  switch (facts.kind) {
    case 'path_fault': {
      const { certificate, issuer } = facts.evidence;
      return {
        message: pathFault(facts),
        evidence: [
          { label: 'Certificate', value: certificate },
          { label: 'Issued by', value: issuer },
        ],
      };
    }
    case 'too_much_work':
      return {
        message: 'The certificate could not be verified: its chain exceeds the limit of work for one check.',
        evidence: [],
      };
    case 'no_path':
      return {
        message: 'The certificate is not trusted: no way to a known authority was found.',
        evidence: [],
      };
    case 'distrusted_root':
      return {
        message: `Chrome does not trust the root “${facts.root}” for certificates issued after ${longDate(facts.trustedUntil, 'UTC')}, and this one is newer.`,
        evidence: [
          { label: 'Root', value: facts.root },
          { label: 'Trusted for certificates until', value: longInstant(facts.trustedUntil) },
        ],
      };
    case 'expired_authority':
      return {
        message: `The intermediate certificate “${facts.name}” expired on ${longDate(facts.notAfter, 'UTC')}, and without it clients cannot verify this host.`,
        evidence: [
          { label: 'Intermediate', value: facts.name },
          { label: 'Expired', value: longInstant(facts.notAfter) },
        ],
      };
    case 'outdated_intermediate':
      return {
        message: `Your server sends the intermediate '${facts.name}' that expired on ${longDate(facts.notAfter, 'UTC')}. ${SOME_CLIENTS_REFUSE}`,
        evidence: missingAndSent(facts.evidence.missing, facts.evidence.sent),
      };
    case 'missing_intermediates': {
      const { missing, evidence } = facts;
      const quoted = missing.map((name) => `'${name}'`).join(' and ');
      return {
        message: `Your server does not send the intermediate${missing.length === 1 ? '' : 's'} ${quoted}. ${SOME_CLIENTS_REFUSE}`,
        evidence: missingAndSent(missing, evidence.sent),
      };
    }
    case 'path_pending': {
      const { issuer, isIssuerSent, evidence } = facts;
      return {
        message: isIssuerSent
          ? `The chain that the server sends leads to no known authority; another way up from “${issuer}” is still being looked for.`
          : `The chain is incomplete: the server does not send “${issuer}”, which is still being looked for.`,
        evidence: [
          { label: 'Certificate', value: evidence.certificate },
          { label: 'Issued by', value: issuer },
        ],
      };
    }
    case 'unreadable_companion':
      return { message: 'One of the certificates sent along cannot be read.', evidence: [] };
    case 'unused_expired':
      return {
        message: `“${facts.name}” is sent along although it expired on ${longDate(facts.notAfter, 'UTC')}; nothing depends on it.`,
        evidence: [
          { label: 'Certificate', value: facts.name },
          { label: 'Expired', value: longInstant(facts.notAfter) },
        ],
      };
    case 'extra_certificates': {
      const quoted = facts.names.map((name) => `“${name}”`);
      return {
        message:
          quoted.length === 1
            ? `The server also sends ${quoted[0]}, which no client needs.`
            : `The server also sends ${quoted.length} certificates that no client needs: ${quoted.join(', ')}.`,
        evidence: facts.evidence.why.map((why, index) => ({
          label: facts.names[index] ?? '',
          value: WHY_EXTRA[why],
        })),
      };
    }
    case 'wrong_order':
      return {
        message: 'The server sends the chain in the wrong order; some clients cannot follow it.',
        evidence: [{ label: 'Sent after the certificate', value: facts.evidence.sent.join(', ') }],
      };
    case 'chain_cut':
      return {
        message: `The server sends too many certificates. The first ${facts.read} were judged; the others were not read.`,
        evidence: [{ label: 'Certificates read', value: String(facts.read) }],
      };
    default:
      return facts satisfies never;
  }
}

const SOME_CLIENTS_REFUSE = 'Browsers may cope, curl and Java will not.';

const WHY_EXTRA = {
  repeated: 'sent twice',
  root: 'a root: clients have it already, or do not trust it',
  unrelated: 'not part of this chain',
} as const;

function missingAndSent(missing: readonly string[], sent: readonly string[]): Words['evidence'] {
  return [
    { label: 'Missing', value: missing.join(', ') },
    { label: 'Sent', value: sent.join(', ') },
  ];
}

function pathFault(facts: PathFault): string {
  switch (facts.fault) {
    case 'no_issuer':
      return facts.canBeFetched
        ? `The chain is incomplete: the server does not send “${facts.issuer}”, which could not be found elsewhere either.`
        : `The certificate is not trusted: its issuer “${facts.issuer}” is neither sent by the server nor a known authority.`;
    case 'untrusted_root':
      return `The certificate is not trusted: it leads to “${facts.root}”, which is not a known authority.`;
    case 'expired':
      return `The certificate is not trusted: its authority “${facts.authority}” expired on ${longDate(facts.notAfter, 'UTC')}.`;
    case 'self_signed':
      return 'The certificate is signed by itself and not trusted: no authority vouches for it.';
    case 'weak_key': {
      const { type, bits, curve } = facts.key;
      return `${subjectOf(facts)} has a key (${curve ?? `${type.toUpperCase()}, ${bits} bits`}) that clients refuse.`;
    }
    case 'weak_signature':
      return `${subjectOf(facts)} is signed with ${facts.algorithm}, which clients refuse.`;
    case 'not_yet_valid':
      return `${subjectOf(facts)} is valid only from ${longDate(facts.notBefore, 'UTC')} on.`;
    case 'malformed':
      return `${subjectOf(facts)} has a part that cannot be read, so that clients may refuse it.`;
    default:
      return `${subjectOf(facts)} ${PATH_FAULTS[facts.fault]}.`;
  }
}

function subjectOf({ authority }: { authority: string | null }): string {
  return authority === null ? 'The certificate' : `The authority certificate “${authority}”`;
}

const PATH_FAULTS: Record<Exclude<OtherPathFault, 'malformed'>, string> = {
  bad_signature: 'claims an issuer that did not sign it',
  extended_key_usage: 'is not meant for web servers (extended key usage)',
  key_usage: 'may not be used this way (key usage)',
  not_a_ca: 'has issued a certificate without being an authority',
  path_length: 'has more authorities below it than it allows',
  name_constraints: 'may not issue for the names of this certificate',
  unknown_critical_extension: 'has a critical extension that clients do not know',
  policy: 'does not fulfil the certificate policies that its chain asks for',
  profile: 'breaks a rule of its authority',
  name_mismatch: 'is for another name',
};
