import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ReportFindingWire, TransparencyWire } from '../../../../contract/domain-report.ts';
import { exampleDomain } from '../../../../tests/kit/pages/example-domain.ts';
import { Addresses } from './addresses.tsx';
import { Clients } from './clients.tsx';
import { exampleFinding, exampleReport, readOf } from '../../../../tests/kit/pages/example-report.ts';
import { FactsSection } from './facts-section.tsx';
import { Findings, withDetails } from './findings.tsx';
import { Transparency } from './transparency.tsx';
import { ChainSection } from '../certificate/chain-section.tsx';
import { Revocation } from '../certificate/revocation.tsx';

const HOSTILE = '<script>alert(1)</script>\u202Egnp\u0000.exe';
const HARMLESS = '&lt;script&gt;alert(1)&lt;/script&gt;\\u202Egnp\\u0000.exe';

const GONE = { stage: 'dns', reason: 'name_not_found', message: 'Gone.', since: '2026-11-20T10:00:00.000Z' };

const nothing = () => undefined;
const NO_ACTIONS = {
  refresh: nothing,
  showDetails: nothing,
  pause: nothing,
  resume: nothing,
  askToRemove: nothing,
};

const findings = (
  found: ReportFindingWire[],
  read = readOf(exampleReport({ findings: found, chain_pem: 'PEM' })),
) =>
  renderToStaticMarkup(
    <Findings
      domain={exampleDomain({ findings: found })}
      read={read}
      standing={null}
      fixed={[]}
      actions={NO_ACTIONS}
    />,
  );

describe('findings', () => {
  it('show no section if there are none', () => expect(findings([])).toBe(''));

  it('show the fix, the chain, the evidence and the command', () => {
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

  it('show the time in the answer of a server as the server wrote it', () => {
    const value = '454 Try again on 22 November 2026, 14:32 UTC';
    const evidence = ['Answer', 'Answer of 192.0.2.10'].map((label) => ({ label, value }));
    expect(findings([exampleFinding({ evidence })]).split(value)).toHaveLength(3);
  });

  it('show their message before the report loads, and if the report fails to load', () => {
    const found = [exampleFinding()];
    expect(findings(found, readOf(undefined))).toMatch(/does not send.*Loading the details/s);
    expect(findings(found, readOf(undefined, new Error('cut')))).toMatch(/does not send.*Could not load/s);
  });

  it('are folded except for the worst one, which has a button to check again', () => {
    const html = findings([exampleFinding(), exampleFinding({ severity: 'warning' })]);
    expect(html.match(/<details/g)).toHaveLength(1);
    expect(html).toContain('<details open');
    expect(html).toContain('Check again');
    expect(findings([exampleFinding({ severity: 'note', fix: 'Nothing.' })])).not.toContain('<details open');
  });

  it('stay in the list, marked as fixed, if a later check no longer finds them', () => {
    const html = renderToStaticMarkup(
      <Findings
        domain={exampleDomain()}
        read={readOf(exampleReport())}
        standing={null}
        fixed={[{ code: 'expired', message: 'It has expired.' }]}
        actions={NO_ACTIONS}
      />,
    );
    expect(html).toMatch(/role="status".*Fixed.*It has expired\./s);
  });

  it('escape all text that the checked host may control', () => {
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

  it('with the same code each get their own details', () => {
    const [first, second] = [
      exampleFinding({ message: 'A', fix: 'a' }),
      exampleFinding({ message: 'B', fix: 'b' }),
    ];
    const shown = withDetails([first, second], exampleReport({ findings: [second, first] }));
    expect(shown.map(({ details }) => details?.fix)).toEqual(['a', 'b']);
  });

  it('start with the outage of the host and show the command from the report', () => {
    const html = renderToStaticMarkup(
      <Findings
        domain={exampleDomain({ unreachable: GONE })}
        read={readOf(
          exampleReport({ findings: [exampleFinding({ message: GONE.message, command: 'dig +short A' })] }),
        )}
        standing={{ severity: 'critical', message: GONE.message, isDown: true, since: GONE.since }}
        fixed={[]}
        actions={NO_ACTIONS}
      />,
    );
    expect(html).toMatch(/critical: .*Gone\..*Down since.*details below are older.*dig/s);
  });

  it('have no details if the report is of another check', () =>
    expect(withDetails([exampleFinding()], exampleReport())[0]?.details).toBeNull());
});

it('have host names, addresses and serial numbers in monospace, and the rest in the font of sentences', () => {
  const evidence = [
    { label: 'Serial number', value: '03:AF' },
    { label: 'Expected name', value: 'shop.example' },
    { label: 'Names, not verified', value: 'mail.example' },
    { label: 'At', value: '192.0.2.10' },
    { label: 'Valid until', value: '1 May 2027' },
  ];
  const html = findings([exampleFinding({ evidence })]);
  expect([...html.matchAll(/font-mono[^>]*><bdi[^>]*>([^<]*)/g)].map(([, value]) => value)).toEqual(
    evidence.slice(0, 4).map(({ value }) => value),
  );
  expect(html).toContain('1 May 2027');
});

describe('the revocation section', () => {
  const { revocation } = exampleDomain();
  const source = { checked_at: '2026-11-20T12:00:00.000Z', this_update: null, next_update: null };

  it('lists every source with its answer', () => {
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

  it('does not unfold if no source was asked', () =>
    expect(renderToStaticMarkup(<Revocation domain={exampleDomain()} read={readOf(undefined)} />)).toBe(
      '<p>Not known yet</p>',
    ));

  it('says why the state is unknown', () => {
    const said = (domain: Parameters<typeof exampleDomain>[0]) =>
      renderToStaticMarkup(<Revocation domain={exampleDomain(domain)} read={readOf(exampleReport())} />);
    expect(said({})).toContain('Unknown: no CRL or OCSP responder we can verify');
    expect(said({ unreachable: GONE })).toContain('Not checked: certificate not read');
  });
});

describe('addresses', () => {
  const [seen] = exampleReport().addresses;
  if (!seen) throw new Error('The example has an address');
  const addresses = (...each: Partial<typeof seen>[]) =>
    renderToStaticMarkup(
      <Addresses
        report={exampleReport({ addresses: each.map((other) => ({ ...seen, ...other })) })}
        protocol="https"
      />,
    );

  it('are folded if all addresses agree', () => {
    const html = addresses({}, { address: '2001:db8::1' });
    expect(html).toContain('Both addresses serve the same certificate');
    expect(html).not.toContain('<details open');
  });

  it('are unfolded if one address differs, and show failures', () => {
    const html = addresses(
      {},
      { fingerprint: null, expiry_date: null, tls_version: null, failure: 'did not answer in time' },
    );
    expect(html).toContain('<details open');
    expect(html).toContain('It did not answer in time');
  });

  it('have a header that names the line with the address, and the columns below it', () => {
    const [head = ''] = /<thead.*<\/thead>/.exec(addresses({})) ?? [];
    const rows = head
      .split('</tr>')
      .map((row) => [...row.matchAll(/>([^<>]+)<\/th>/g)].map(([, name]) => name));
    expect(rows.slice(0, 2)).toEqual([['Address'], ['Certificate', 'Expires', 'TLS', 'Response']]);
  });

  it('say which protocol was agreed by ALPN', () => {
    expect(addresses({})).toContain('Agreed protocol (ALPN): HTTP/2');
    expect(addresses({ alpn: 'http/1.1' })).toContain('Agreed protocol (ALPN): HTTP/1.1');
    expect(addresses({ alpn: null })).toContain('Agreed protocol (ALPN): none');
    expect(addresses({ alpn: null, fingerprint: null })).not.toContain('ALPN');
  });

  it('are not shown before the first check', () =>
    expect(
      renderToStaticMarkup(
        <ChainSection domain={exampleDomain({ last_checked_at: null })} read={readOf(undefined)} />,
      ),
    ).toMatch(/Chain.*Certificate not read yet/));
});

it('the facts section says “Not checked yet” about facts that are not collected yet', () =>
  expect(renderToStaticMarkup(<FactsSection report={exampleReport()} />)).toContain('Not checked yet'));

it('the clients have the colour of the domain’s state, but none on a paused domain, whose last check is old', () => {
  const clients = [
    { client: 'chromium', name: 'Chrome', connects: true },
    { client: 'java', name: 'Java', connects: false },
  ] as const;
  const colours = (trusted: boolean, paused: 'user' | null = null) =>
    renderToStaticMarkup(<Clients clients={[...clients]} domain={{ trusted, paused }} />).match(
      /text-\w+-mark/g,
    );
  expect(colours(true)).toEqual(['text-ok-mark', 'text-soon-mark']);
  expect(colours(false)).toEqual(['text-ok-mark', 'text-critical-mark']);
  expect(colours(false, 'user')).toBeNull();
});

describe('certificate timestamps', () => {
  const view = (
    name: 'Chrome' | 'Firefox' | 'Safari',
    counts: boolean | null,
    why: string | null = null,
  ) => ({
    client: ({ Chrome: 'chromium', Firefox: 'firefox', Safari: 'apple' } as const)[name],
    name,
    counts,
    why,
  });
  const timestamp = {
    log_id: 'EvFONL1TckyEBhnDjz96E/jntWKHiJxtMAAAAAAAAAA=',
    log: 'Argon 2026h2',
    operator: 'Google',
    at: '2026-11-01T12:30:00.000Z',
    delivery: 'certificate' as const,
    clients: [view('Chrome', true), view('Firefox', true), view('Safari', false, 'the log is retired')],
  };
  const policy = (client: 'chromium' | 'apple', outcome: 'met' | 'not_met' | 'not_known') => ({
    client,
    outcome,
    message: `${client} says ${outcome}.`,
  });
  const shown = (differences: Partial<TransparencyWire>) =>
    renderToStaticMarkup(
      <Transparency
        transparency={{ timestamps: [timestamp], unreadable: 0, policies: [], note: null, ...differences }}
      />,
    );

  it('are shown with their log, its operator and the browsers that count them', () => {
    const html = shown({ policies: [policy('chromium', 'met'), policy('apple', 'met')] });
    for (const text of [
      'Argon 2026h2',
      'Google',
      'Counts for Chrome and Firefox',
      'Safari: the log is retired',
    ])
      expect(html).toContain(text);
    expect(html).toContain('1 timestamp, enough for Chrome and Safari');
    expect(html).not.toContain('<details open');
  });

  it('are in an open section if a browser may need more of them', () => {
    const unknown = shown({ policies: [policy('chromium', 'met'), policy('apple', 'not_known')] });
    expect(unknown).toContain('1 timestamp, not known whether enough for Safari');
    expect(unknown).toContain('<details open');
    const refused = shown({ policies: [policy('chromium', 'not_met'), policy('apple', 'not_known')] });
    expect(refused).toContain('1 timestamp, not enough for Chrome');
    expect(refused).toContain('<details open');
  });

  it('of an unknown log are shown with its id and the reason why nothing else is known', () => {
    const why = 'not known: this server has no current list of logs';
    const unknown = { ...timestamp, log: null, operator: null, clients: [view('Chrome', null, why)] };
    const html = shown({ timestamps: [unknown], note: 'No list of logs.' });
    for (const text of [timestamp.log_id, `Chrome: ${why}`, 'No list of logs.']) expect(html).toContain(text);
  });

  it('are not said to be missing if they cannot be read', () => {
    expect(shown({ timestamps: [] })).toContain('No timestamps');
    const html = shown({ timestamps: [], unreadable: 1 });
    expect(html).toContain('No readable timestamps');
    expect(html).not.toContain('more could not be read');
  });

  it('are shown with an escaped name of their log', () => {
    const html = shown({ timestamps: [{ ...timestamp, log: HOSTILE, operator: HOSTILE }], unreadable: 1 });
    expect(html).not.toContain('<script>');
    expect(html).toContain(HARMLESS);
    expect(html).toContain('1 more could not be read, or comes after the first 20.');
  });
});
