import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ReportFindingWire } from '../../../../contract/domain-report.ts';
import { exampleDomain } from '../example-domain.ts';
import { Addresses } from './addresses.tsx';
import { exampleFinding, exampleReport, readOf } from './example-report.ts';
import { FactsSection } from './facts-section.tsx';
import { withDetails } from './finding-details.ts';
import { Findings } from './findings.tsx';
import { Revocation } from './revocation.tsx';

const HOSTILE = '<script>alert(1)</script>\u202Egnp\u0000.exe';
const HARMLESS = '&lt;script&gt;alert(1)&lt;/script&gt;\\u202Egnp\\u0000.exe';

const GONE = { stage: 'dns', reason: 'name_not_found', message: 'Gone.', since: '2026-11-20T10:00:00.000Z' };

const findings = (
  found: ReportFindingWire[],
  read = readOf(exampleReport({ findings: found, chain_pem: 'PEM' })),
) =>
  renderToStaticMarkup(<Findings domain={exampleDomain({ findings: found })} read={read} standing={null} />);

describe('findings', () => {
  it('are no section where there are none', () => expect(findings([])).toBe(''));

  it('have their fix, their chain, their evidence and their command', () => {
    const html = findings([
      exampleFinding({
        fix: 'Send this file:',
        attachment: 'chain',
        command: 'openssl s_client -showcerts',
        evidence: [{ label: 'Missing', value: 'R13' }],
        addresses: ['192.0.2.10'],
      }),
    ]);
    for (const text of ['Send this file:', 'Download chain', 'Missing', 'R13', 'Seen at', '-showcerts'])
      expect(html).toContain(text);
  });

  it('stand with their sentence before the report is there, and when it cannot be had', () => {
    const found = [exampleFinding()];
    expect(findings(found, readOf(undefined))).toMatch(/does not send.*Loading the details/s);
    expect(findings(found, readOf(undefined, new Error('cut')))).toMatch(
      /does not send.*could not be loaded/s,
    );
  });

  it('open nothing where there is nothing more to say', () =>
    expect(findings([exampleFinding()])).not.toContain('<details'));

  it('show what strangers wrote as it is', () => {
    const html = findings([
      exampleFinding({
        message: HOSTILE,
        fix: HOSTILE,
        command: `echo ${HOSTILE}`,
        evidence: [{ label: HOSTILE, value: HOSTILE }],
      }),
    ]);
    expect(html).not.toContain('<script');
    expect(html.split(HARMLESS)).toHaveLength(6);
  });

  it('of one code each find their own details', () => {
    const [first, second] = [
      exampleFinding({ message: 'A', fix: 'a' }),
      exampleFinding({ message: 'B', fix: 'b' }),
    ];
    const shown = withDetails([first, second], exampleReport({ findings: [second, first] }));
    expect(shown.map(({ details }) => details?.fix)).toEqual(['a', 'b']);
  });

  it('begin with the host that is down, with what helps where the report has it', () => {
    const html = renderToStaticMarkup(
      <Findings
        domain={exampleDomain({ unreachable: GONE })}
        read={readOf(
          exampleReport({ findings: [exampleFinding({ message: GONE.message, command: 'dig +short A' })] }),
        )}
        standing={{ severity: 'critical', message: GONE.message, isDown: true, since: GONE.since }}
      />,
    );
    expect(html).toMatch(/critical: .*Gone\..*Down since.*was seen before that.*dig/s);
  });

  it('of another check have none', () =>
    expect(withDetails([exampleFinding()], exampleReport())[0]?.details).toBeNull());
});

describe('revocation', () => {
  const { revocation } = exampleDomain();
  const source = { checked_at: '2026-11-20T12:00:00.000Z', this_update: null, next_update: null };

  it('lists every source with what it said', () => {
    const html = renderToStaticMarkup(
      <Revocation
        domain={exampleDomain({ revocation: { ...revocation, state: 'good', source: 'ocsp' } })}
        read={readOf(
          exampleReport({
            revocation_sources: [
              { ...source, source: 'ocsp', url: 'http://ocsp.example/', state: 'good', why: null },
              { ...source, source: 'crl', url: null, state: 'none', why: `It is ${HOSTILE}` },
            ],
          }),
        )}
      />,
    );
    expect(html).toContain('Sources (2)');
    expect(html).toContain('http://ocsp.example/');
    expect(html).toContain(`It is ${HARMLESS}`);
  });

  it('opens nothing where nobody was asked', () =>
    expect(renderToStaticMarkup(<Revocation domain={exampleDomain()} read={readOf(undefined)} />)).toBe(
      '<p>Could not be determined yet</p>',
    ));

  it('says why nothing is known', () => {
    const said = (domain: Parameters<typeof exampleDomain>[0]) =>
      renderToStaticMarkup(<Revocation domain={exampleDomain(domain)} read={readOf(exampleReport())} />);
    expect(said({})).toContain('Not known: it names no list and no responder whose answer would count');
    expect(said({ unreachable: GONE })).toContain('Not looked at: the host was not reached');
  });
});

describe('addresses', () => {
  const [seen] = exampleReport().addresses;
  if (!seen) throw new Error('The example has an address');
  const addresses = (...each: Partial<typeof seen>[]) =>
    renderToStaticMarkup(
      <Addresses
        domain={exampleDomain()}
        read={readOf(exampleReport({ addresses: each.map((other) => ({ ...seen, ...other })) }))}
      />,
    );

  it('stay folded while they agree', () => {
    const html = addresses({}, { address: '2001:db8::1' });
    expect(html).toContain('Both addresses show the same certificate');
    expect(html).not.toContain('<details open');
  });

  it('open by themselves where one differs, and say what failed', () => {
    const html = addresses(
      {},
      { fingerprint: null, expiry_date: null, tls_version: null, failure: 'did not answer in time' },
    );
    expect(html).toContain('<details open');
    expect(html).toContain('It did not answer in time');
  });

  it('are none before the first check', () =>
    expect(
      renderToStaticMarkup(
        <Addresses domain={exampleDomain({ last_checked_at: null })} read={readOf(undefined)} />,
      ),
    ).toBe(''));
});

it('facts that were not gathered yet say so', () =>
  expect(
    renderToStaticMarkup(<FactsSection domain={exampleDomain()} read={readOf(exampleReport())} />),
  ).toContain('Not looked at yet'));
