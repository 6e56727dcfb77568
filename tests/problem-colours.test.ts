import { expect, it } from 'vitest';
import { DEFAULT_ALERT_SETTINGS } from '../server/core/alerting/settings.ts';
import { conclude } from '../server/core/check/conclude.ts';
import { definitionOf, type Finding, type FindingCode } from '../server/core/finding.ts';
import { ADDRESSES } from '../server/core/findings/addresses.ts';
import { REFUSED } from '../server/core/findings/clients.ts';
import type { Severity } from '../server/core/findings/definition.ts';
import { LEAF } from '../server/core/findings/leaf.ts';
import { PATH } from '../server/core/findings/path.ts';
import { PROTOCOL } from '../server/core/findings/protocol.ts';
import { RENEWAL } from '../server/core/findings/renewal.ts';
import { REVOCATION } from '../server/core/findings/revocation.ts';
import { SENT_CHAIN } from '../server/core/findings/sent-chain.ts';
import { judge } from '../server/core/judge/judge.ts';
import type { Verdict } from '../server/core/verdict.ts';
import { attentionReason } from '../contract/words.ts';
import { cardTrouble } from '../web/features/dashboard/list/card-line.ts';
import { stateOfFinding } from '../web/domain/state-marks.tsx';
import { answer, issue, NOW, observation, trustStore, withChain } from './kit/certificates/judging.ts';
import { exampleDomain } from './kit/pages/example-domain.ts';

const CODES = Object.keys({
  ...LEAF,
  ...PATH,
  ...SENT_CHAIN,
  ...REVOCATION,
  ...RENEWAL,
  ...ADDRESSES,
  ...PROTOCOL,
  ...REFUSED,
}) as FindingCode[];
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'note'];
const served = observation([answer(withChain(issue()))]);
const sound = judge(served, NOW, trustStore);

/** Returns a verdict with a single finding, and what a check stores about it. */
function checked(code: FindingCode, severity: Severity) {
  const words = { message: `Says ${code}.`, fix: null, command: null, evidence: [] };
  const finding: Finding = {
    code,
    severity,
    facts: { kind: 'stored_words', words },
    addresses: [],
    fingerprint: sound.leafFingerprint,
    keyType: null,
    attachment: null,
  };
  const trusted = severity !== 'critical' && code !== 'unverifiable';
  const verdict: Verdict = { ...sound, findings: [finding], trusted };
  const { problem } = conclude(
    {
      kind: 'watched',
      uptime: {
        uptime: 'up',
        suspectedSince: null,
        downSince: null,
        downSeenAt: null,
        since: NOW,
        recentChecks: 'u',
        responseMs: 40,
      },
      unreachableSince: null,
      previous: sound,
      incidents: [],
      settings: DEFAULT_ALERT_SETTINGS,
      everyMinutes: 1440,
      isRequested: false,
      jitter: 0,
    },
    served,
    verdict,
    null,
    NOW,
  );
  return { trusted, problem: problem?.code ?? null, message: words.message };
}

it('a finding colours a card or the panel if and only if the domain needs attention', () => {
  expect(CODES.every((code) => definitionOf(code) !== undefined)).toBe(true);
  for (const code of CODES)
    for (const severity of SEVERITIES) {
      const { trusted, problem, message } = checked(code, severity);
      // A critical finding `revoked` or `expired` is the state of the domain.
      const state = (code === 'revoked' || code === 'expired') && severity === 'critical' ? code : 'ok';
      const attention = attentionReason({
        state,
        isTrusted: problem !== 'untrusted',
        isDown: false,
        isUnreachable: problem === 'unreachable',
        isRefused: problem === 'refused',
        flaw: problem === 'overdue' || problem === 'flawed' ? problem : null,
        isOnSchedule: false,
      });
      const findings = [{ code, severity, message, addresses: [] }];
      const refused = problem === 'refused';
      const domain = exampleDomain({ state, trusted, refused, attention, findings });
      const about = `${code}, ${severity}`;
      expect(cardTrouble(domain, NOW)?.state ?? null, about).toBe(attention);
      const isMarked = severity !== 'note' && stateOfFinding({ code, severity }) !== null;
      expect(isMarked || !trusted, about).toBe(attention !== null);
    }
});
