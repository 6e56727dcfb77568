import {
  ia5String,
  objectIdentifier,
  sequence,
  set,
  tagged,
  utf8String,
} from '../kit/certificates/der-writer.ts';
import type { CertificateOptions } from '../kit/certificates/mint.ts';
import { extra, OID, WITHOUT_EXTENSION } from './extension-scenarios.ts';
import { HOST, intermediateScenario, type Scenario, withChain } from './scenario.ts';

type Kind = 'permitted' | 'excluded';

/** Name constraints on e-mail addresses, and the address in the subject alternative name. */
const ALTERNATIVE: readonly [Kind, base: string, email: string][] = [
  ['permitted', 'example.com', 'user@example.com'],
  ['permitted', 'EXAMPLE.COM', 'user@Example.com'],
  ['permitted', 'example.com', 'user+tag@example.com'],
  ['permitted', '.example.com', 'user@sub.example.com'],
  ['permitted', 'user@EXAMPLE.com', 'user@example.com'],
  ['permitted', 'USER@example.com', 'USER@Example.com'],
  ['permitted', 'example.com', 'user@other.example'],
  ['permitted', 'example.com', '"user"@example.com'],
  ['permitted', 'EXAMPLE.COM', '"a b"@example.com'],
  ['permitted', '.example.com', '"a@b"@sub.example.com'],
  ['permitted', '"user"@example.com', '"user"@example.com'],
  ['permitted', 'example.com', '"us\\"er"@example.com'],
  ['excluded', 'other.example', 'user@example.com'],
  ['excluded', '.example.com', 'user@example.com'],
  ['excluded', 'user@example.com', 'other@example.com'],
  ['excluded', 'example.com', 'USER@EXAMPLE.COM'],
  ['excluded', 'other.example', '"user"@example.com'],
  ['excluded', 'user@example.com', 'USER@example.com'],
  ['excluded', 'USER@example.com', 'user@Example.com'],
  ['excluded', 'User@EXAMPLE.com', 'user@example.com'],
  ['excluded', 'user@example.com', '"user"@example.com'],
  ['excluded', '"user"@example.com', 'user@EXAMPLE.com'],
  ['excluded', '"user"@example.com', '"a b"@example.com'],
  ['excluded', 'example.com', 'user@sub.example.com'],
  ['excluded', 'other.example', 'user@-example.com'],
  ['excluded', '', 'user@example.com'],
  ['excluded', '.', 'user@example.com'],
  ['excluded', 'example.com.', 'user@example.com'],
  ['excluded', '.example.com.', 'user@sub.example.com'],
  ['excluded', 'exa mple.com', 'user@example.com'],
  ['excluded', '*.example.com', 'user@example.com'],
  ['excluded', '*@example.com', 'user@example.com'],
  ['excluded', 'other_.example', 'user@example.com'],
  ['excluded', '..example.com', 'user@example.com'],
];

/** Bases of name constraints on e-mail addresses above a certificate that has none. */
const BASES: readonly [Kind, base: string][] = [
  ['permitted', 'user@example.com'],
  ['permitted', '"user"@example.com'],
  ['permitted', '@example.com'],
  ['permitted', 'example.com.'],
  ['excluded', 'exa mple.com'],
  ['excluded', 'user@'],
  ['permitted', 'a..b@example.com'],
  ['excluded', '..example.com'],
  ['excluded', '.'],
];

/** Values of emailAddress in the subject of certificates without an e-mail address in the subject alternative name. */
const SUBJECT: readonly [Kind, base: string, email: string, write?: typeof utf8String][] = [
  ['permitted', 'example.com', 'user@EXAMPLE.com'],
  ['permitted', 'example.com', '"user"@example.com'],
  ['excluded', 'user@example.com', 'USER@EXAMPLE.com'],
  ['excluded', 'other.example', 'user@example.com'],
  ['permitted', 'example.com', 'user@example.com', utf8String],
  ['excluded', 'other.example', 'user@example.com', utf8String],
];

/** Internationalised addresses, which are otherNames (RFC 9598). */
const INTERNATIONAL: readonly [Kind, base: string, email: string][] = [
  ['permitted', 'example.com', 'ü@EXAMPLE.com'],
  ['permitted', 'xn--bcher-kva.example', 'ü@bücher.example'],
  ['excluded', 'other.example', 'ü@example.com'],
  ['permitted', 'other.example', 'ü@example.com'],
  ['excluded', 'example.com', 'ü@example.com'],
  ['permitted', '.example.com', 'ü@sub.example.com'],
  ['permitted', 'u@example.com', 'u@example.com'],
  ['permitted', 'xn--bcher-kva.example', 'ü@xn--bcher-kva.example'],
];

const withNames = (names: readonly Uint8Array[]): CertificateOptions => ({
  ...WITHOUT_EXTENSION.subjectAltName,
  commonName: HOST,
  ...extra(OID.subjectAltName, sequence(tagged(2, false, Buffer.from(HOST)), ...names)),
});

const alternativeName = (...emails: readonly string[]): CertificateOptions =>
  withNames(emails.map((email) => tagged(1, false, Buffer.from(email))));

const smtpMailbox = (email: string): Buffer =>
  tagged(0, true, objectIdentifier('1.3.6.1.5.5.7.8.9'), tagged(0, true, utf8String(email)));

const subjectWith = (email: string, write = ia5String): CertificateOptions => ({
  subjectDer: sequence(
    set(sequence(objectIdentifier('2.5.4.3'), utf8String(HOST))),
    set(sequence(objectIdentifier('1.2.840.113549.1.9.1'), write(email))),
  ),
});

const constraint = (kind: Kind, base: string): CertificateOptions => ({ [kind]: { email: [base] } });

/** Returns a scenario with constraints in the upper of two intermediates. */
const lowerScenario = (name: string, upper: CertificateOptions, lower: CertificateOptions): Scenario => ({
  name,
  mint: ({ ecdsa }) =>
    withChain(
      ecdsa
        .intermediate(upper)
        .intermediate({ commonName: 'Lower', ...lower })
        .issue({ dnsNames: [HOST] }),
    ),
});

/** Servers below name constraints on e-mail addresses (RFC 5280 §4.2.1.10). */
export const EMAIL_SCENARIOS: readonly Scenario[] = [
  ...ALTERNATIVE.map(([kind, base, email]) =>
    intermediateScenario(
      `e-mail address ${email}, ${kind} “${base}”`,
      constraint(kind, base),
      alternativeName(email),
    ),
  ),
  ...INTERNATIONAL.map(([kind, base, email]) =>
    intermediateScenario(
      `SmtpUTF8Mailbox ${email}, ${kind} “${base}”`,
      constraint(kind, base),
      withNames([smtpMailbox(email)]),
    ),
  ),
  ...BASES.map(([kind, base]) =>
    intermediateScenario(`no e-mail address, ${kind} “${base}”`, constraint(kind, base)),
  ),
  ...SUBJECT.map(([kind, base, email, write]) =>
    intermediateScenario(
      `e-mail address ${email} in the subject${write === undefined ? '' : ' in UTF-8'}, ${kind} “${base}”`,
      constraint(kind, base),
      subjectWith(email, write),
    ),
  ),
  intermediateScenario(
    'e-mail address in the subject in UTF-8, constraints on host names',
    { permitted: { dns: ['example'] } },
    subjectWith('user@example.com', utf8String),
  ),
  intermediateScenario(
    'e-mail address in the subject that is not permitted, beside a permitted one',
    constraint('permitted', 'example.com'),
    { ...alternativeName('user@example.com'), ...subjectWith('user@other.example') },
  ),
  intermediateScenario(
    'e-mail address in the subject that is excluded, beside another one',
    constraint('excluded', '.example.com'),
    { ...alternativeName('user@example.com'), ...subjectWith('user@sub.example.com') },
  ),
  intermediateScenario(
    'malformed e-mail address, constraints on host names',
    { permitted: { dns: ['example'] } },
    alternativeName('us er@example.com'),
  ),
  intermediateScenario(
    'two e-mail addresses, one quoted',
    constraint('permitted', 'example.com'),
    alternativeName('user@example.com', '"other"@example.com'),
  ),
  lowerScenario(
    'intermediate with an e-mail address in UTF-8, constraints on host names',
    { permitted: { dns: ['example'] } },
    subjectWith('user@example.com', utf8String),
  ),
  lowerScenario(
    'intermediate with a quoted e-mail address in the subject',
    constraint('permitted', 'example.com'),
    subjectWith('"user"@example.com'),
  ),
  lowerScenario(
    'intermediate with an e-mail address in another case, excluded',
    constraint('excluded', 'user@example.com'),
    subjectWith('USER@example.com'),
  ),
  lowerScenario(
    'intermediate with a permitted e-mail address',
    constraint('permitted', 'example.com'),
    subjectWith('user@example.com'),
  ),
];
