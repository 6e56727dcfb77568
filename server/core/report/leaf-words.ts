import type { FindingWords, LeafFacts, RenewalWindow, UnverifiedLeaf } from '../finding.ts';
import { unicodeName } from '../endpoint.ts';
import { longDate, longInstant } from '../long-date.ts';
import { count } from '../../../contract/words.ts';
import { unreadableCertificate } from './reach-finding.ts';
import { reasonWords, revocationReason, revocationSource, revocationWhy } from './revocation-words.ts';

export type Words = Pick<FindingWords, 'message' | 'evidence'>;

/** Returns the words of a finding about a certificate itself. `host`: display name of the host. */
export function leafWords(facts: Exclude<LeafFacts, { kind: 'refused_by_clients' }>, host: string): Words {
  switch (facts.kind) {
    case 'expired':
      return {
        message: `The certificate expired on ${longDate(facts.notAfter, 'UTC')}.`,
        evidence: validity(facts.evidence.notBefore, facts.notAfter),
      };
    case 'not_yet_valid':
      return {
        message: `The certificate ${notYetValid(facts)}`,
        evidence: validity(facts.notBefore, facts.evidence.notAfter),
      };
    case 'other_names':
      return otherNames(facts, host);
    case 'long_lifetime': {
      const { days, mostDays, notBefore } = facts;
      return {
        message: `The certificate is valid for ${count(days, 'day')}. Browsers accept at most ${count(mostDays, 'day')} for public certificates issued on ${longDate(notBefore, 'UTC')}.`,
        evidence: [
          { label: 'Validity', value: count(days, 'day') },
          { label: 'Maximum allowed', value: count(mostDays, 'day') },
        ],
      };
    }
    case 'unreadable_leaf':
      return { message: unreadableCertificate(host), evidence: unverified(facts.evidence ?? null) };
    case 'revoked':
      return revoked(facts);
    case 'staple_missing':
      return {
        message:
          'The certificate requires a stapled OCSP response, but the server sends none. Clients that check this refuse to connect.',
        evidence: [{ label: 'Extension', value: 'OCSP must staple' }],
      };
    case 'staple_invalid': {
      const why = revocationWhy(facts.why);
      const who = facts.why === 'unknown_signature' ? 'we cannot verify' : 'clients cannot use';
      return {
        message: `The server staples an OCSP response that ${who}. ${why}`,
        evidence: [{ label: 'Stapled response', value: why }],
      };
    }
    case 'replacement_wanted': {
      const { window, hasBegun } = facts;
      const when = hasBegun ? 'now' : `by ${longDate(window.end, 'UTC')}`;
      const why = window.explanationUrl === null ? ', earlier than usual' : ', and explains why';
      return {
        message: `Your CA wants this certificate replaced ${when}${why}.`,
        evidence: windowEvidence(window),
      };
    }
    case 'renewal_overdue': {
      const { dueAt, notAfter, evidence } = facts;
      return {
        message: `The certificate should have been renewed by ${longDate(dueAt, 'UTC')}. It expires on ${longDate(notAfter, 'UTC')}.`,
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

/** Returns the end of a sentence about a certificate that is not valid yet. */
export function notYetValid({ notBefore, minutes }: { notBefore: number; minutes?: number }): string {
  return minutes === undefined
    ? `is not valid before ${longDate(notBefore, 'UTC')}.`
    : `is not valid for ${count(minutes, 'more minute')}. Clients refuse it until then, unless our clock is slow.`;
}

/** Says of each value that it is not verified. */
function unverified(read: UnverifiedLeaf | null): Words['evidence'] {
  if (read === null) return [];
  const { subject, issuer, notBefore, notAfter, names } = read;
  const rows = [
    { label: 'Subject', value: subject },
    { label: 'Issuer', value: issuer },
    { label: 'Valid from', value: notBefore === null ? null : longInstant(notBefore) },
    { label: 'Valid until', value: notAfter === null ? null : longInstant(notAfter) },
    { label: 'Names', value: names.length === 0 ? null : names.join(', ') },
  ];
  return rows.flatMap(({ label, value }) =>
    value === null || value === '' ? [] : [{ label: `${label}, not verified`, value }],
  );
}

function validity(notBefore: number, notAfter: number): Words['evidence'] {
  return [
    { label: 'Valid from', value: longInstant(notBefore) },
    { label: 'Valid until', value: longInstant(notAfter) },
  ];
}

function otherNames(
  { names, total, expected = '' }: Extract<LeafFacts, { kind: 'other_names' }>,
  displayed: string,
): Words {
  const host = expected === '' ? displayed : unicodeName(expected);
  const more = total - names.length;
  const listed = names.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return {
    message:
      total === 0
        ? `The certificate names no host, so it does not cover ${host}.`
        : `The certificate does not cover ${host}. It is for ${listed}.`,
    evidence: [
      { label: 'Expected name', value: host },
      { label: 'Subject alternative names', value: total === 0 ? 'none' : listed },
    ],
  };
}

function windowEvidence({ start, end, explanationUrl }: RenewalWindow): Words['evidence'] {
  return [
    { label: 'Suggested renewal window', value: `${longInstant(start)} to ${longInstant(end)}` },
    ...(explanationUrl === null ? [] : [{ label: 'Explanation', value: explanationUrl }]),
  ];
}

function revoked(facts: Extract<LeafFacts, { kind: 'revoked' }>): Words {
  const { role, name, source, at, revokedAt, reason, served, wasSaidBefore, evidence } = facts;
  const because = revocationReason(reason);
  const dissent = facts.dissent && revocationSource(facts.dissent);
  const what = role === 'leaf' ? 'The certificate' : `The intermediate certificate “${name}”`;
  const when = revokedAt === null ? '' : ` on ${longDate(revokedAt, 'UTC')}`;
  const why = because === null ? '' : ` because ${because}`;
  const who = wasSaidBefore
    ? `as ${revocationSource(source)} said on ${longDate(at, 'UTC')}`
    : `according to ${revocationSource(source)}${dissent === null ? '' : `, although ${dissent} does not list it as revoked`}`;
  return {
    message: served
      ? `${what} was revoked${when}${why}, ${who}.`
      : `The server sends ${what.replace(/^T/, 't')}, which was revoked${when}${why}, ${who}. Clients can verify the host without it, but some may refuse to connect.`,
    evidence: [
      { label: 'Serial number', value: evidence.serialNumber },
      ...(revokedAt === null ? [] : [{ label: 'Revoked', value: longInstant(revokedAt) }]),
      ...(reason === null ? [] : [{ label: 'Reason', value: reasonWords(reason) }]),
      { label: 'Source', value: revocationSource(source) },
      ...(dissent === null ? [] : [{ label: 'Not revoked according to', value: dissent }]),
      { label: 'Received', value: longInstant(at) },
    ],
  };
}
