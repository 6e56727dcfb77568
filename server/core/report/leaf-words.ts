import type { FindingWords, LeafFacts, RenewalWindow } from '../finding.ts';
import { longDate, longInstant } from '../long-date.ts';
import { unreadableCertificate } from './reach-finding.ts';
import { reasonWords, revocationReason, revocationSource, revocationWhy } from './revocation-words.ts';

export type Words = Pick<FindingWords, 'message' | 'evidence'>;

/** Returns the words of a finding about a certificate itself. `host`: display name of the host. */
export function leafWords(facts: LeafFacts, host: string): Words {
  switch (facts.kind) {
    case 'expired':
      return {
        message: `The certificate expired on ${longDate(facts.notAfter, 'UTC')}.`,
        evidence: validity(facts.evidence.notBefore, facts.notAfter),
      };
    case 'not_yet_valid':
      return {
        message: `The certificate is valid only from ${longDate(facts.notBefore, 'UTC')} on.`,
        evidence: validity(facts.notBefore, facts.evidence.notAfter),
      };
    case 'other_names':
      return otherNames(facts, host);
    case 'long_lifetime': {
      const { days, mostDays, notBefore } = facts;
      return {
        message: `The certificate is valid for ${days} days; browsers accept ${mostDays} at most from a public authority on ${longDate(notBefore, 'UTC')}.`,
        evidence: [
          { label: 'Validity', value: `${days} days` },
          { label: 'Most allowed (Baseline Requirements §6.3.2)', value: `${mostDays} days` },
        ],
      };
    }
    case 'unreadable_leaf':
      return { message: unreadableCertificate(host), evidence: [] };
    case 'revoked':
      return revoked(facts);
    case 'staple_missing':
      return {
        message:
          'The certificate demands that the server staples an OCSP answer, and it staples none: clients that honour this refuse it.',
        evidence: [{ label: 'Extension', value: 'TLS Feature: status_request (must staple)' }],
      };
    case 'staple_invalid': {
      const why = revocationWhy(facts.why);
      return {
        message: `The OCSP answer that the server staples does not count. ${why}`,
        evidence: [{ label: 'Stapled answer', value: why }],
      };
    }
    case 'replacement_wanted': {
      const { window, hasBegun } = facts;
      const when = hasBegun ? 'now' : `by ${longDate(window.end, 'UTC')}`;
      const why = window.explanationUrl === null ? ', long before the usual time' : ', and says why';
      return {
        message: `Your CA wants this certificate replaced ${when}${why}.`,
        evidence: windowEvidence(window),
      };
    }
    case 'renewal_overdue': {
      const { dueAt, notAfter, evidence } = facts;
      return {
        message: `The certificate should have been renewed by ${longDate(dueAt, 'UTC')}; it expires on ${longDate(notAfter, 'UTC')}.`,
        evidence: [
          { label: 'Serial number', value: evidence.serialNumber },
          { label: 'Renewal due', value: longInstant(dueAt) },
          { label: 'Expires', value: longInstant(notAfter) },
          ...(evidence.window === null ? [] : windowEvidence(evidence.window)),
        ],
      };
    }
    default:
      return facts satisfies never;
  }
}

function validity(notBefore: number, notAfter: number): Words['evidence'] {
  return [
    { label: 'Valid from', value: longInstant(notBefore) },
    { label: 'Valid until', value: longInstant(notAfter) },
  ];
}

function otherNames({ names, total }: Extract<LeafFacts, { kind: 'other_names' }>, host: string): Words {
  const more = total - names.length;
  const listed = names.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return {
    message:
      total === 0
        ? `The certificate names no host (it has no subject alternative names), so it does not cover ${host}.`
        : `The certificate does not cover ${host}; it is for ${listed}.`,
    evidence: [
      { label: 'Asked for', value: host },
      { label: 'Subject alternative names', value: total === 0 ? 'none' : listed },
    ],
  };
}

function windowEvidence({ start, end, explanationUrl }: RenewalWindow): Words['evidence'] {
  return [
    { label: 'Window of the authority (RFC 9773)', value: `${longInstant(start)} to ${longInstant(end)}` },
    ...(explanationUrl === null ? [] : [{ label: 'Explanation', value: explanationUrl }]),
  ];
}

function revoked(facts: Extract<LeafFacts, { kind: 'revoked' }>): Words {
  const { role, name, source, at, revokedAt, reason, served, wasSaidBefore, evidence } = facts;
  const because = revocationReason(reason);
  const dissent = facts.dissent && revocationSource(facts.dissent);
  const what = role === 'leaf' ? 'The certificate' : `The intermediate certificate “${name}”`;
  const when = revokedAt === null ? '' : ` on ${longDate(revokedAt, 'UTC')}`;
  const why = because === null ? '' : `, because ${because}`;
  const who = wasSaidBefore
    ? `so said ${revocationSource(source)} on ${longDate(at, 'UTC')}`
    : `so says ${revocationSource(source)}${dissent === null ? '' : `, while ${dissent} does not call it revoked`}`;
  return {
    message: served
      ? `${what} was revoked${when}${why}: ${who}.`
      : `${what} is sent along although it was revoked${when}${why}: ${who}. There is a way to a known authority without it, but some clients may not look for it.`,
    evidence: [
      { label: 'Serial number', value: evidence.serialNumber },
      ...(revokedAt === null ? [] : [{ label: 'Revoked', value: longInstant(revokedAt) }]),
      ...(reason === null ? [] : [{ label: 'Reason', value: reasonWords(reason) }]),
      { label: 'Source', value: revocationSource(source) },
      ...(dissent === null ? [] : [{ label: 'Not revoked, says', value: dissent }]),
      { label: 'Read', value: longInstant(at) },
    ],
  };
}
