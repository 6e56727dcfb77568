import { longInstant } from '../../long-date.ts';
import { listed } from '../../one-line.ts';
import type { CheckReader, ReasonWords, WordsByReason } from './reader.ts';

const recordEvidence = (check: CheckReader): ReasonWords['evidence'] => [
  { label: 'Records of', value: check.text('domain') },
  ...check.list('records').map((value) => ({ label: 'CAA', value })),
];

/** Returns the record that lets the CA issue, as in a zone file. */
function caaRecord(check: CheckReader): string | null {
  const add = check.text('add');
  return add === '' ? null : `${check.text('domain')}. IN CAA ${add}`;
}

const forbids =
  (message: (check: CheckReader) => string) =>
  (check: CheckReader): ReasonWords => ({
    short: `CAA forbids ${check.ca}`,
    message: `${message(check)} ${check.ca === 'your CA' ? 'Your CA' : check.ca} will refuse to renew the certificate for ${check.names}.`,
    fix:
      caaRecord(check) === null
        ? 'Add a CAA record that names your CA.'
        : 'Add this record, or change to a CA that the records name.',
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  });

/** Adds words for the time before CAs have to process the parameters (ballot SC-098). */
function later(words: (check: CheckReader) => ReasonWords): (check: CheckReader) => ReasonWords {
  return (check) => {
    const { short, message, ...rest } = words(check);
    return {
      ...rest,
      short,
      message: `${message} Not every CA heeds this yet: all have to from 15 March 2027, 00:00 UTC.`,
    };
  };
}

const ACCOUNT = (check: CheckReader): ReasonWords => ({
  short: `CAA names an account that ${check.ca} does not have`,
  message: `The CAA records of ${check.text('domain')} allow ${check.ca} only for accounts that it cannot have, such as one of its test system or several in one record.`,
  fix: 'Write one accounturi per record: the address of the account that your ACME client uses.',
  evidence: recordEvidence(check),
});
const MALFORMED_METHODS = (check: CheckReader): ReasonWords => ({
  short: 'CAA lists validation methods in a wrong form',
  message: `The CAA records of ${check.text('domain')} have a list validationmethods that CAs cannot read, so that they count as forbidding all methods.`,
  fix: 'Write the methods once, separated by commas and without spaces: validationmethods=http-01,dns-01.',
  evidence: recordEvidence(check),
});
const OTHER_METHODS = (check: CheckReader): ReasonWords => ({
  short: 'CAA allows no validation method that we know',
  message: `The CAA records of ${check.text('domain')} allow ${check.ca} only with ${listed(check.list('allowed'))}.`,
  fix: 'Add the method that your client uses to validationmethods.',
  evidence: recordEvidence(check),
});
const METHODS = (check: CheckReader): ReasonWords => ({
  short: `CAA allows only ${listed(check.list('allowed'))}`,
  message:
    `The CAA records of ${check.text('domain')} allow ${check.ca} only with ${listed(check.list('allowed'))}. ${check.consequence}`.trim(),
  fix: 'Add the method that your client uses to validationmethods, or let the client use one that is allowed.',
  evidence: recordEvidence(check),
});
const CHANGED_ACCOUNT = (check: CheckReader): ReasonWords => ({
  short: 'CAA names another account than before',
  message: `The CAA records of ${check.text('domain')} name another account at ${check.ca} than when we first saw this certificate. The renewal works only if your client uses the new account.`,
  fix: 'Compare the accounturi with the account of your ACME client (certbot show_account).',
  evidence: [
    ...(recordEvidence(check) ?? []),
    ...check.list('accounts').map((value) => ({ label: 'Account', value })),
  ],
});

export const CAA_WORDS: WordsByReason = {
  none: () => ({
    short: null,
    message: 'There are no CAA records, so that every CA may issue certificates.',
  }),
  unrestricted: (check) => ({
    short: null,
    message: `The CAA records of ${check.text('domain')} restrict no CA.`,
  }),
  allowed: (check) => ({
    short: null,
    message: `The CAA records of ${check.text('domain')} allow ${check.ca}.`,
    evidence: recordEvidence(check),
  }),
  others: forbids(
    (check) =>
      `The CAA records of ${check.text('domain')} allow only ${listed(check.list('others')) || 'other CAs'}.`,
  ),
  nobody: forbids((check) => `The CAA records of ${check.text('domain')} forbid all CAs.`),
  malformed: forbids(
    (check) =>
      `A CAA record of ${check.text('domain')} is malformed, so that it names nobody: the name of a CA has no dot at its end, and parameters have the form name=value.`,
  ),
  critical: (check) => ({
    short: `CAA has a critical property that CAs do not know`,
    message: `The CAA records of ${check.text('domain')} have the critical property ${check.text('tag')}. CAs that do not know it must not issue certificates.`,
    fix: 'Set the flags of the record to 0, or remove it.',
    evidence: [{ label: 'CAA', value: check.text('record') }],
  }),
  account: ACCOUNT,
  account_later: later(ACCOUNT),
  malformed_methods: MALFORMED_METHODS,
  malformed_methods_later: later(MALFORMED_METHODS),
  other_methods: OTHER_METHODS,
  other_methods_later: later(OTHER_METHODS),
  methods: METHODS,
  methods_later: later(METHODS),
  changed_account: CHANGED_ACCOUNT,
  changed_account_later: later(CHANGED_ACCOUNT),
  capitals: (check) => ({
    short: `CAA writes ${check.ca} with capital letters`,
    message: `The CAA records of ${check.text('domain')} write the name of ${check.ca} with capital letters. The standard ignores them, but the software of ${check.ca} compares letter by letter.`,
    fix: 'Write the name in lower case.',
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  }),
  perhaps: (check) => ({
    short: `CAA may forbid ${check.ca}`,
    message: `The CAA records of ${check.text('domain')} do not have the usual name of ${check.ca}. We do not know whether it accepts the names that they have.`,
    fix: 'Add this record to be sure.',
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  }),
  unknown_ca: (check) => ({
    short: 'We do not know how CAA names your CA',
    message: `The CAA records of ${check.text('domain')} name CAs, and we do not know the name of the one that issued the certificate.`,
    fix: 'Look up the name in the practice statement of your CA, and compare it with the records.',
    evidence: recordEvidence(check),
  }),
  no_answer: (check) => ({
    short: 'The CAA lookup failed',
    message: `The CAA records of ${check.text('domain')} cannot be read: ${whyText(check.text('why'))}. A CA that cannot read them either may refuse to issue.`,
    fix: 'Check that all name servers of the domain answer questions for CAA records.',
  }),
  not_asked: () => ({
    short: 'CAA was not looked up',
    message: 'The CAA records were not looked up, because a limit of DNS questions was reached.',
  }),
};

const WHY: Readonly<Record<string, string>> = {
  bogus: 'the signatures of DNSSEC are wrong',
  servfail: 'the name servers report an error (SERVFAIL)',
  refused: 'the name servers refuse the question',
  timeout: 'the name servers do not answer',
  malformed: 'the answer is malformed',
  resolver: 'the DNS resolver of this server does not work',
  alias_limit: 'there are too many aliases (CNAME), or they lead back to each other',
  budget: 'a limit of DNS questions was reached',
};
const whyText = (why: string): string => WHY[why] ?? 'the lookup failed';

const DELEGATED = (check: CheckReader): ReasonWords['evidence'] => [
  { label: 'Alias leads to', value: check.text('target') },
];

export const DNSSEC_WORDS: WordsByReason = {
  bogus: (check) => ({
    short: `DNSSEC of ${check.text('domain')} is broken`,
    message: `The DNSSEC signatures for ${check.text('domain')} are wrong or have expired. CAs have to validate them, so that none will issue a certificate for ${check.names}.`,
    fix: 'Sign the zone again, and compare the DS record at your registrar with the keys of the zone. Removing the DS record turns DNSSEC off.',
  }),
  bogus_records: (check) => ({
    short: `DNSSEC signatures for ${check.names} are wrong`,
    message: `Some DNSSEC signatures for ${check.names} are wrong or have expired. ${check.consequence}`,
    fix: 'Sign the zone again.',
  }),
  resolver: () => ({
    short: 'DNSSEC cannot be checked here',
    message: 'DNSSEC is not known: the DNS resolver of this server does not validate it.',
    fix: 'The operator can set DNS_SERVERS to a resolver that validates DNSSEC.',
  }),
  secure: () => ({ short: null, message: 'DNSSEC protects the CAA records, and the signatures are right.' }),
  no_errors: () => ({ short: null, message: 'There are no DNSSEC errors.' }),
};

export const NAMES_WORDS: WordsByReason = {
  found: () => ({ short: null, message: 'All names of the certificate exist.' }),
  zone_gone: (check) => ({
    short: `The domain of ${check.names} does not exist any more`,
    message: `The domain of ${check.names} does not exist in DNS any more. A CA validates every name, so that one missing domain stops the renewal of the whole certificate.`,
    fix: `Remove ${check.names} from the certificate in the settings of your client, or register the domain again.`,
  }),
  no_name: (check) => ({
    short: `${check.names} ${check.verb('does', 'do')} not exist any more`,
    message: `${check.names} ${check.verb('does', 'do')} not exist in DNS. One name that a CA cannot validate stops the renewal of the whole certificate. ${check.consequence}`,
    fix: `Remove ${check.names} from the certificate in the settings of your client, or create the DNS record again.`,
  }),
  no_address: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no address`,
    message: `${check.names} ${check.verb('has', 'have')} no address in DNS, so that a CA cannot connect. ${check.consequence}`,
    fix: `Add an A or AAAA record, remove ${check.names} from the certificate, or validate by DNS.`,
  }),
  no_public_address: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no public address`,
    message: `${check.names} ${check.verb('has', 'have')} only addresses of private networks, to which a CA cannot connect. ${check.consequence}`,
    fix: 'Validate by DNS (dns-01), or add a public address.',
  }),
  alias_limit: (check) => ({
    short: `The aliases of ${check.names} lead nowhere`,
    message: `The aliases (CNAME) of ${check.names} are too many, or they lead back to each other. ${check.consequence}`,
    fix: 'Point the alias to a name that has addresses.',
  }),
  no_answer: (check) => ({
    short: `The DNS lookup of ${check.names} failed`,
    message: `The addresses of ${check.names} cannot be looked up: ${whyText(check.text('why'))}.`,
    fix: 'Check that all name servers of the domain answer.',
  }),
  not_asked: (check) => ({
    short: `${check.names} ${check.verb('was', 'were')} not looked up`,
    message: `${check.names} ${check.verb('was', 'were')} not looked up, because a limit of DNS questions was reached.`,
  }),
  unread: (check) => ({
    short: 'Not all names were looked up',
    message: `The certificate has too many names. ${check.text('count')} of them were not looked up.`,
  }),
  no_names: () => ({
    short: 'The certificate has no DNS names',
    message: 'The certificate has no DNS names, so that DNS says nothing about its renewal.',
  }),
};

export const DNS_CHALLENGE_WORDS: WordsByReason = {
  plain: () => ({ short: null, message: 'Nothing in DNS prevents validation by dns-01.' }),
  delegated: (check) => ({
    short: null,
    message: 'The validation is delegated to another domain, which exists.',
    evidence: DELEGATED(check),
  }),
  target_gone: (check) => ({
    short: `The validation of ${check.names} is delegated to a domain that does not exist`,
    message: `The alias _acme-challenge of ${check.names} leads to ${check.text('target')}, whose domain does not exist. ${check.consequence}`,
    fix: 'Point the alias to a domain that you control, or remove it.',
    evidence: DELEGATED(check),
  }),
  alias_limit: (check) => ({
    short: `The alias _acme-challenge of ${check.names} leads nowhere`,
    message: `The aliases of _acme-challenge for ${check.names} are too many, or they lead back to each other. ${check.consequence}`,
    fix: 'Point the alias to a domain that you control, or remove it.',
  }),
  no_answer: (check) => ({
    short: 'The records of dns-01 cannot be looked up',
    message: `The TXT records of _acme-challenge for ${check.names} cannot be looked up: ${whyText(check.text('why'))}.`,
    fix: 'Check the name servers that answer for _acme-challenge.',
  }),
};

export const PERSIST_WORDS: WordsByReason = {
  valid: () => ({ short: null, message: 'A record _validation-persist is valid for each name.' }),
  ends: (check) => ({
    short: `The record _validation-persist ends before the renewal`,
    message: `The record _validation-persist for ${check.names} ends on ${longInstant(check.number('until'))}, before the renewal. ${check.consequence}`,
    fix: 'Set a later persistUntil, or remove it.',
  }),
  malformed: (check) => ({
    short: 'The record _validation-persist is malformed',
    message: `The record _validation-persist for ${check.names} is malformed: it needs the name of the CA, one accounturi, and a whole number of seconds as persistUntil if there is one. ${check.consequence}`,
    fix: 'Write the record as your CA shows it.',
  }),
  policy: (check) => ({
    short: `The record _validation-persist does not cover ${check.names}`,
    message: `The record _validation-persist covers one name only. ${check.names} needs policy=wildcard. ${check.consequence}`,
    fix: 'Add "; policy=wildcard" to the record if it is meant for wildcards and all names below.',
  }),
  missing: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no record _validation-persist`,
    message: `No record _validation-persist names your CA for ${check.names}. ${check.consequence}`,
    fix: 'Add the record for each name.',
  }),
};
