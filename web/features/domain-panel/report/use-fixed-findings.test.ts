import { expect, it } from 'vitest';
import { exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { fixedFindings } from './use-fixed-findings.ts';
import { standingFinding } from './standing-finding.ts';

const finding = (code: string, severity: 'critical' | 'warning' | 'note' = 'critical') => ({
  code,
  severity,
  message: `${code} of www`,
  addresses: [],
});
const shown = [finding('incomplete_chain'), finding('expired')];
const unreachable = { stage: 'dns', reason: 'no_addresses', message: 'No address.', since: '2026-11-20' };

it('a shown problem counts as fixed once a check no longer finds it', () => {
  const of = (findings: ReturnType<typeof finding>[]) =>
    fixedFindings(shown, exampleDomain({ findings }), null).map(({ code }) => code);
  expect(of(shown)).toEqual([]);
  expect(of([finding('expired')])).toEqual(['incomplete_chain']);
  expect(of([{ ...finding('expired'), message: 'other words' }, finding('incomplete_chain')])).toEqual([]);
  expect(of([finding('expired', 'note')])).toEqual(['incomplete_chain', 'expired']);
  expect(of([])).toEqual(['incomplete_chain', 'expired']);
});

it('no problem counts as fixed while the domain is paused or no certificate is read', () => {
  for (const domain of [exampleDomain({ paused: 'user' }), exampleDomain({ unreachable })])
    expect(fixedFindings(shown, domain, standingFinding(domain, null))).toEqual([]);
});

it('an outage counts as fixed when the host is up, whatever the reason was', () => {
  const down = { ...exampleDomain().uptime, state: 'down', down_since: '2026-11-20' } as const;
  const outage = [{ code: 'standing', message: 'No address.' }];
  const ofDown = exampleDomain({ uptime: down });
  expect(fixedFindings(outage, ofDown, standingFinding(ofDown, 'It answered with 503.'))).toEqual([]);
  expect(fixedFindings(outage, exampleDomain(), null)).toEqual(outage);
});
