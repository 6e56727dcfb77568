import { describe, expect, it } from 'vitest';
import type { DomainWire } from '../../../../contract/domain.ts';
import { exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { standingFinding } from './standing-finding.ts';

const GONE = {
  stage: 'dns',
  reason: 'name_not_found',
  message: 'fjord.example does not exist in DNS.',
  since: '2026-11-20T12:41:00.000Z',
};
const SINCE = '2026-11-15T12:41:00.000Z';
const DOWN: DomainWire['uptime'] = {
  state: 'down',
  checks: 'uudd',
  percent: 60,
  response_ms: null,
  cause: null,
  down_since: SINCE,
};
const CAUSE = 'fjord.example answered with the error 503.';

describe('the problem before the findings', () => {
  it.each<[string, Partial<DomainWire>, string | null, ReturnType<typeof standingFinding>]>([
    ['is absent while the host is up', {}, null, null],
    [
      'is a warning if one check did not reach the host',
      { unreachable: GONE },
      null,
      { severity: 'warning', message: GONE.message, isDown: false, since: GONE.since },
    ],
    [
      'is critical if the host is down and not reached',
      { unreachable: GONE, uptime: DOWN },
      null,
      { severity: 'critical', message: GONE.message, isDown: true, since: SINCE },
    ],
    [
      'is critical if the host is down, even if a certificate was read',
      { uptime: DOWN },
      CAUSE,
      { severity: 'critical', message: CAUSE, isDown: true, since: SINCE },
    ],
    [
      'says only that the host is down until the cause is loaded',
      { uptime: DOWN },
      null,
      { severity: 'critical', message: 'fjord.example is down.', isDown: true, since: SINCE },
    ],
    ['is absent if the domain is paused', { uptime: DOWN, paused: 'user' }, CAUSE, null],
  ])('%s', (_, differences, cause, finding) =>
    expect(standingFinding(exampleDomain(differences), cause)).toEqual(finding),
  );
});
