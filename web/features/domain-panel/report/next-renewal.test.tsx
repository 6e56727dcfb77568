import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ForecastWire, PostureWire, ReportWire } from '../../../../contract/domain-report.ts';
import { exampleReport, readOf } from '../../../../tests/kit/pages/example-report.ts';
import { FactsSection } from './facts-section.tsx';
import { NextRenewal } from './next-renewal.tsx';

const HOSTILE = '<script>alert(1)</script>\u202Egnp\u0000.exe';
const HARMLESS = '&lt;script&gt;alert(1)&lt;/script&gt;\\u202Egnp\\u0000.exe';

const POSTURE: PostureWire = {
  checked_at: '2026-11-20T14:00:00Z',
  tls_versions: [{ version: 'TLSv1.3', offered: true }],
  post_quantum: { state: 'unknown', group: null },
  caa: { outcome: 'none' },
  registration: { outcome: 'not_applicable' },
  alternates: [],
  not_tested: [],
  is_complete: true,
  earlier: [],
};

describe('the forecast of the next renewal', () => {
  const forecast: ForecastWire = {
    outcome: 'fails',
    line: 'Next renewal will fail: CAA forbids Let’s Encrypt',
    expected_at: '2026-12-02T00:00:00Z',
    checked_at: '2026-11-20T14:00:00Z',
    expected_by: 'lifetime',
    method: 'http-01',
    message: 'The next renewal will fail: CAA forbids Let’s Encrypt.',
    record: { right: 41, of: 41 },
    checks: [
      {
        code: 'caa',
        state: 'fails',
        methods: [],
        title: 'CAA',
        message: `CAA of ${HOSTILE} names other CAs.`,
        names: ['a.example', 'b.example', 'c.example', 'd.example'],
        evidence: [{ label: 'CAA', value: HOSTILE }],
        fix: 'Add this record.',
        zone_record: 'fjord.example. IN CAA 0 issue "letsencrypt.org"',
      },
      {
        code: 'names',
        state: 'passes',
        methods: [],
        title: 'Names',
        message: 'All names of the certificate exist.',
        names: [],
        evidence: [],
        fix: null,
        zone_record: null,
      },
    ],
  };
  const section = (report: Partial<ReportWire>) =>
    renderToStaticMarkup(<NextRenewal read={readOf(exampleReport(report))} />);

  it('shows the outcome, the record, each check, its evidence and the DNS record to write', () => {
    const html = section({ forecast });
    for (const text of [
      'The next renewal will fail',
      '41 of 41 forecasts right',
      'You seem to use http-01.',
      'Add this record.',
      'a.example, b.example, c.example, d.example',
      'Copy record',
      '1 check passed',
      'All names of the certificate exist.',
    ])
      expect(html).toContain(text);
    expect(html).not.toContain('<script>');
    expect(html.split(HARMLESS)).toHaveLength(3);
  });

  it('is announced while the first one is pending, and absent if none will be made', () => {
    expect(section({ forecast_pending: true })).toContain('We will make the first one within a day.');
    expect(section({})).toBe('');
  });

  it('hides the CAA records among the facts about DNS, because the forecast shows them', () => {
    const facts = (report: Partial<ReportWire>) =>
      renderToStaticMarkup(<FactsSection report={exampleReport({ posture: POSTURE, ...report })} />);
    expect(facts({})).toContain('>CAA<');
    expect(facts({ forecast })).not.toContain('>CAA<');
  });
});
