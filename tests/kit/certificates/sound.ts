import { DAY_MS } from '../../../contract/durations.ts';
import { DEFAULT_ALERT_SETTINGS } from '../../../server/core/alerting/settings.ts';
import type { CheckState } from '../../../server/core/check/conclude.ts';
import type { Finding } from '../../../server/core/finding.ts';
import { judge } from '../../../server/core/judge/judge.ts';
import type { Verdict } from '../../../server/core/verdict.ts';
import { handshakeWith, issue, NOW, observation, trustStore, withChain } from './judging.ts';

/** What a probe sees of a server that does everything right. */
export const SOUND_OBSERVATION = observation([handshakeWith(withChain(issue()))]);
/** The verdict on `SOUND_OBSERVATION`, which has no findings. */
export const SOUND_VERDICT = judge(SOUND_OBSERVATION, NOW, trustStore);

/** The state of a monitor that found its host up in every check. */
export const WATCHED: CheckState = {
  kind: 'watched',
  renewals: [],
  uptime: {
    uptime: 'up',
    suspectedSince: null,
    downSince: null,
    downSeenAt: null,
    since: NOW - DAY_MS,
    recentChecks: 'u',
    responseMs: 40,
  },
  unreachableSince: null,
  previous: SOUND_VERDICT,
  incidents: [],
  settings: DEFAULT_ALERT_SETTINGS,
  everyMinutes: 1440,
  isRequested: false,
  jitter: 0,
};

/** Returns a sound verdict with these findings about its certificate. */
export function soundWith(...findings: Pick<Finding, 'code' | 'severity'>[]): Verdict {
  return {
    ...SOUND_VERDICT,
    findings: findings.map(({ code, severity }) => ({
      code,
      severity,
      facts: {
        kind: 'stored_words',
        words: { message: `Says ${code}.`, fix: null, command: null, evidence: [] },
      },
      addresses: [],
      fingerprint: SOUND_VERDICT.leafFingerprint,
      keyType: null,
      attachment: null,
    })),
  };
}
