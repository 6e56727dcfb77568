import { expect, it } from 'vitest';
import { conclude } from '../server/core/check/conclude.ts';
import { type FindingCode, FINDINGS } from '../server/core/finding.ts';
import type { Severity } from '../server/core/findings/definition.ts';
import { attentionReason } from '../contract/words.ts';
import { cardTrouble } from '../web/features/dashboard/list/card-line.ts';
import { stateOfFinding } from '../web/domain/state-marks.tsx';
import { NOW } from './kit/certificates/judging.ts';
import { SOUND_OBSERVATION, soundWith, WATCHED } from './kit/certificates/sound.ts';
import { exampleDomain } from './kit/pages/example-domain.ts';

const CODES = Object.keys(FINDINGS) as FindingCode[];
const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'note'];

/** Returns what a check stores about a verdict with a single finding. */
function checked(code: FindingCode, severity: Severity) {
  const trusted = severity !== 'critical' && code !== 'unverifiable';
  const verdict = { ...soundWith({ code, severity }), trusted };
  const { problem } = conclude(WATCHED, SOUND_OBSERVATION, verdict, null, NOW);
  return { trusted, problem: problem?.code ?? null, message: `Says ${code}.` };
}

it('a finding colours a card or the panel if and only if the domain needs attention', () => {
  for (const code of CODES)
    for (const severity of SEVERITIES) {
      const { trusted, problem, message } = checked(code, severity);
      // A critical finding `revoked` or `expired` is at the same time the state of the domain.
      const state = (code === 'revoked' || code === 'expired') && severity === 'critical' ? code : 'ok';
      const attention = attentionReason({
        state,
        isDown: false,
        problem,
        isOnSchedule: false,
      });
      const findings = [{ code, severity, message, addresses: [] }];
      const refused = problem === 'refused';
      const domain = exampleDomain({ state, trusted, refused, attention, findings });
      const about = `${code}, ${severity}`;
      expect(cardTrouble(domain, NOW)?.state ?? null, about).toBe(attention);
      const isMarked = severity !== 'note' && stateOfFinding({ code, severity }, state) !== null;
      expect(isMarked || !trusted, about).toBe(attention !== null);
    }
});
