import { describe, expect, it } from 'vitest';
import { DAY, inWords, issue, judged, NOW } from '../../../../tests/kit/certificates/judging.ts';
import { postureAt } from '../../../../tests/kit/product/observation.ts';
import {
  HELLO_PARTS,
  type HelloObservation,
  type HelloPart,
  type HelloReaction,
  type PostureObservation,
} from '../../observation.ts';
import { connectingClients } from './refusals.ts';
import type { Verdict } from '../../verdict.ts';
import { CLIENTS_OF_PART, helloFindings } from './hello-rules.ts';

const leaf = issue();
const NOTHING: HelloObservation = {
  address: '192.0.2.1',
  intolerances: [],
  warningAlerts: [],
  hasEmptyRecord: false,
  hasEmptyChange: false,
};

const refusing = (parts: readonly HelloPart[], reaction: HelloReaction = 'alert'): HelloObservation => ({
  ...NOTHING,
  intolerances: parts.map((part) => ({ part, reaction, clients: CLIENTS_OF_PART[part] })),
});
const rulesOf = (hellos: HelloObservation) =>
  helloFindings(hellos).map(({ facts, severity, clients = [] }) => [
    facts.kind === 'refused_by_clients' ? facts.rule : null,
    severity,
    ...clients,
  ]);

const NOT_OFFERED = { state: 'not_offered', group: 'X25519' } as const;
const judgedWith = (changes: Partial<PostureObservation>, previous: Verdict | null = null): Verdict =>
  judged(leaf, { posture: postureAt(NOW, { postQuantum: NOT_OFFERED, ...changes }) }, previous);

describe('the findings about ClientHellos', () => {
  it('are empty if the server accepts the ClientHellos of all browsers', () => {
    expect(helloFindings(NOTHING)).toEqual([]);
  });

  it('are critical, and name the clients that send the part', () => {
    expect(rulesOf(refusing(['ml_kem']))).toEqual([
      ['hello_ml_kem', 'critical', 'chromium', 'firefox', 'apple', 'openssl', 'go', 'java'],
    ]);
    expect(rulesOf(refusing(['ech']))).toEqual([['hello_ech', 'critical', 'chromium', 'firefox']]);
    expect(rulesOf(refusing(['delegated_credentials']))).toEqual([
      ['hello_delegated_credentials', 'critical', 'firefox'],
    ]);
  });

  it.each(['reset', 'closed'] as const)(
    'do not name Firefox if the reaction to compression is %s, because Firefox then tries again without it',
    (reaction) => {
      expect(rulesOf(refusing(['compression'], reaction))).toEqual([
        ['hello_compression', 'critical', 'chromium', 'apple'],
      ]);
      expect(rulesOf(refusing(['ech'], reaction))).toEqual([
        ['hello_ech', 'critical', 'chromium', 'firefox'],
      ]);
    },
  );

  it.each(['alert', 'silent', 'not_tls'] as const)(
    'name Firefox if the reaction to compression is %s',
    (reaction) =>
      expect(rulesOf(refusing(['compression'], reaction))[0]).toEqual([
        'hello_compression',
        'critical',
        'chromium',
        'firefox',
        'apple',
      ]),
  );

  it('combine all reserved values in one finding, whose evidence lists where they were refused', () => {
    const { findings } = inWords(judgedWith({ hellos: refusing(['grease_ciphers', 'grease_signatures']) }));
    expect(findings).toMatchObject([
      {
        message:
          'Chrome and Safari cannot connect: the server does not accept a ClientHello with reserved values (GREASE, RFC 8701).',
        command: null,
        fingerprint: null,
        addresses: ['192.0.2.1'],
        evidence: [
          { label: 'Reaction', value: 'the server answers with an alert' },
          { label: 'Not accepted', value: 'reserved cipher suites and reserved signature algorithms' },
        ],
      },
    ]);
  });

  it('combine three or more extensions in one finding', () => {
    expect(rulesOf(refusing(['ech', 'compression']))).toHaveLength(2);
    expect(rulesOf(refusing(['ech', 'alps', 'grease_extensions', 'size']))).toEqual([
      ['hello_extensions', 'critical', 'chromium', 'firefox', 'apple'],
      ['hello_size', 'critical', 'chromium', 'firefox', 'apple', 'openssl', 'go', 'java'],
    ]);
  });

  it('name the versions from which clients send the part, and a command that shows it', () => {
    const [finding] = inWords(judgedWith({ hellos: refusing(['ml_kem'], 'reset') })).findings;
    expect(finding?.message).toBe(
      'Chrome, Firefox, Safari, OpenSSL since 3.5, Go since 1.24 and Java since 27 cannot connect: the server does not accept a ClientHello with the post-quantum key exchange X25519MLKEM768.',
    );
    expect(finding?.command).toMatch(/^openssl s_client .*-groups X25519MLKEM768:X25519 <\/dev\/null$/);
  });

  it('have a message for every part', () => {
    for (const part of HELLO_PARTS) {
      const hellos = {
        ...NOTHING,
        intolerances: [{ part, reaction: 'closed', clients: ['chromium'] }] as const,
      };
      const { findings } = inWords(
        judgedWith({ hellos: { ...hellos, intolerances: [...hellos.intolerances] } }),
      );
      expect(findings[0]?.message).toMatch(
        /^Chrome cannot connect: the server does not accept a ClientHello .{3}/,
      );
    }
  });

  it('remove the clients that they name from the list of clients that connect', () => {
    const verdict = judgedWith({ hellos: refusing(['size']) });
    expect(verdict.trusted).toBe(false);
    const connecting = connectingClients(verdict, 'https').filter(({ connects }) => connects);
    expect(connecting.map(({ client }) => client)).toEqual(['gnutls', 'windows']);
  });
});

describe('the findings about the answer to a ClientHello', () => {
  it.each([10, 20, 21, 22, 30, 80, 90])(
    'are empty for the warning alert %i, which every client ignores',
    (alert) => expect(rulesOf({ ...NOTHING, warningAlerts: [alert] })).toEqual([]),
  );

  it('name Java for other warning alerts, and Go and GnuTLS for empty records', () => {
    expect(rulesOf({ ...NOTHING, warningAlerts: [90, 112], hasEmptyRecord: true })).toEqual([
      ['warning_alert', 'warning', 'java'],
      ['empty_record', 'warning', 'go', 'gnutls'],
    ]);
  });

  it('name all clients but OpenSSL for an empty ChangeCipherSpec', () => {
    expect(rulesOf({ ...NOTHING, hasEmptyRecord: true, hasEmptyChange: true })).toEqual([
      ['empty_record', 'critical', 'chromium', 'firefox', 'go', 'java', 'gnutls'],
    ]);
  });

  it('say which clients refuse the connection, and why', () => {
    const { findings } = inWords(
      judgedWith({ hellos: { ...NOTHING, warningAlerts: [112], hasEmptyRecord: true } }),
    );
    expect(findings.map(({ message }) => message)).toEqual([
      'Java refuses the connection: the server answers a ClientHello with an alert that is only a warning.',
      'Go and GnuTLS refuse the connection: the server sends an empty TLS record in the handshake.',
    ]);
  });
});

describe('the posture with ClientHellos', () => {
  it('has intolerant post-quantum support only if every client that sends ML-KEM is refused', () => {
    expect(judgedWith({ hellos: refusing(['size']) }).posture?.postQuantum.state).toBe('intolerant');
    expect(judgedWith({ hellos: refusing(['ml_kem']) }).posture?.postQuantum.state).toBe('intolerant');
    const [size] = refusing(['size']).intolerances;
    const large = { ...NOTHING, intolerances: size ? [{ ...size, clients: ['chromium' as const] }] : [] };
    for (const hellos of [large, refusing(['ech']), NOTHING])
      expect(judgedWith({ hellos }).posture?.postQuantum.state).toBe('not_offered');
  });

  it('keeps the findings until a later probe has tested the ClientHellos again', () => {
    const daily = judgedWith({ hellos: { ...refusing(['ech']), warningAlerts: [112] } });
    expect(daily.posture?.findings).toHaveLength(2);
    const postponed = judgedWith({ at: NOW + DAY, postponed: ['client_hellos'] }, daily);
    expect(postponed.findings).toEqual(daily.findings);
    expect(postponed.posture?.earlier).toEqual([{ part: 'client_hellos', at: NOW }]);
    const others = judgedWith({ at: NOW + DAY, postponed: ['tls_versions'] }, daily);
    expect(others.findings).toEqual([]);
    expect(judgedWith({ at: NOW + 2 * DAY, hellos: NOTHING }, postponed).findings).toEqual([]);
  });
});
