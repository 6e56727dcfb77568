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
  (message: (check: CheckReader) => string, fix: string) =>
  (check: CheckReader): ReasonWords => ({
    short: `CAA forbids ${check.ca}`,
    message: `${message(check)} ${check.ca === 'your CA' ? 'Your CA' : check.ca} will refuse to renew the certificate for ${check.names}.`,
    fix: caaRecord(check) === null ? 'Add a CAA record that names your CA.' : fix,
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  });

/** Adds a sentence for the time before all CAs have to process the parameters of RFC 8657 (ballot SC-098). */
function later(words: (check: CheckReader) => ReasonWords): (check: CheckReader) => ReasonWords {
  return (check) => {
    const { short, message, ...rest } = words(check);
    return {
      ...rest,
      short,
      message: `${message} All CAs must enforce such limits from 15 March 2027, 00:00 UTC. Some do so already.`,
    };
  };
}

const ACCOUNT = (check: CheckReader): ReasonWords => ({
  short: `CAA names an account that ${check.ca} does not have`,
  message:
    `The CAA records of ${check.text('domain')} allow ${check.ca} only for an account that does not exist there. For example, it belongs to the staging system, or one record names several accounts. ${check.consequence}`.trim(),
  fix: 'Name one account per record: set accounturi to the URL of the account that your ACME client uses.',
  evidence: recordEvidence(check),
});
const MALFORMED_METHODS = (check: CheckReader): ReasonWords => ({
  short: 'CAA has a malformed list of validation methods',
  message:
    `The parameter validationmethods in the CAA records of ${check.text('domain')} is malformed, so CAs treat it as forbidding every method. ${check.consequence}`.trim(),
  fix: 'Write the parameter once per record, with commas and no spaces between methods: validationmethods=http-01,dns-01.',
  evidence: recordEvidence(check),
});
const OTHER_METHODS = (check: CheckReader): ReasonWords => ({
  short: 'CAA allows no validation method that we know',
  message:
    `The CAA records of ${check.text('domain')} allow ${check.ca} only if it validates by ${check.either('allowed')}, which we do not know. ${check.consequence}`.trim(),
  fix: 'Add the method that your client uses to validationmethods.',
  evidence: recordEvidence(check),
});
const METHODS = (check: CheckReader): ReasonWords => ({
  short: `CAA allows validation only by ${check.either('allowed')}`,
  message:
    `The CAA records of ${check.text('domain')} allow ${check.ca} only if it validates by ${check.either('allowed')}. ${check.isCertain ? `As far as we can see, no allowed method works for ${check.names}.` : ''} ${check.consequence}`.trim(),
  fix: 'Add the method that your client uses to validationmethods, or set the client to a method that is allowed.',
  evidence: recordEvidence(check),
});
const CHANGED_ACCOUNT = (check: CheckReader): ReasonWords => ({
  short: 'CAA names a new account',
  message: `The CAA records of ${check.text('domain')} now limit ${check.ca} to an account that they did not name when we first saw this certificate. The renewal works only if your client uses this account.`,
  fix: 'Compare accounturi with the account of your ACME client (certbot show_account).',
  evidence: [
    ...(recordEvidence(check) ?? []),
    ...check.list('accounts').map((value) => ({ label: 'Account', value })),
  ],
});

export const CAA_WORDS: WordsByReason = {
  none: () => ({
    short: null,
    message: 'There are no CAA records, so every CA may issue certificates.',
  }),
  unrestricted: (check) => ({
    short: null,
    message: `The CAA records of ${check.text('domain')} do not restrict which CAs may issue.`,
  }),
  allowed: (check) => ({
    short: null,
    message: `The CAA records of ${check.text('domain')} allow ${check.ca}.`,
    evidence: recordEvidence(check),
  }),
  others: forbids(
    (check) =>
      `The CAA records of ${check.text('domain')} allow only ${listed(check.list('others')) || 'other CAs'}.`,
    'Add this record, or change to a CA that the records allow.',
  ),
  nobody: forbids(
    (check) => `The CAA records of ${check.text('domain')} forbid all CAs.`,
    'Add this record to allow your CA.',
  ),
  malformed: forbids(
    (check) =>
      `A CAA record of ${check.text('domain')} is malformed, so it allows no CA. The name of a CA must not end with a dot, and parameters must have the form name=value.`,
    'Replace the malformed record with this one.',
  ),
  critical: (check) => ({
    short: `CAA has a critical property that CAs do not know`,
    message:
      `The CAA records of ${check.text('domain')} have the critical property ${check.text('tag')}. CAs that do not know this property must not issue certificates. ${check.consequence}`.trim(),
    fix: 'Set the flags of this record to 0, or remove the record.',
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
    message: `The CAA records of ${check.text('domain')} write the name of ${check.ca} with capital letters. Domain names are the same in capitals, but the software of ${check.ca} may not accept them.`,
    fix: 'Write the name in lower case.',
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  }),
  perhaps: (check) => ({
    short: `CAA may forbid ${check.ca}`,
    message: `The CAA records of ${check.text('domain')} do not have the usual name of ${check.ca}. We do not know whether ${check.ca} accepts the names in these records.`,
    fix: 'Add this record to be sure.',
    evidence: recordEvidence(check),
    zoneRecord: caaRecord(check),
  }),
  unknown_ca: (check) => ({
    short: 'We do not know how CAA names your CA',
    message: `The CAA records of ${check.text('domain')} allow only certain CAs. We do not know by which name they would allow the CA that issued this certificate.`,
    fix: 'Find the domain name that your CA expects in CAA records (in its certification practice statement, section 4.2), and compare it with the records.',
    evidence: recordEvidence(check),
  }),
  no_answer: (check) => ({
    short: 'The CAA lookup failed',
    message: `The CAA records of ${check.text('domain')} cannot be read: ${whyText(check.text('why'))}. A CA that cannot read them either may refuse to issue.`,
    fix: 'Check that all name servers of the domain answer CAA queries.',
  }),
  not_asked: () => ({
    short: 'CAA was not looked up',
    message: 'The CAA records were not looked up, because our limit of DNS queries was reached.',
  }),
};

const WHY: Readonly<Record<string, string>> = {
  bogus: 'the DNSSEC signatures are wrong',
  servfail: 'the name servers report an error (SERVFAIL)',
  refused: 'the name servers refuse the query',
  timeout: 'the name servers do not answer',
  malformed: 'the answer is malformed',
  resolver: 'the DNS resolver of this server does not work',
  alias_limit: 'the aliases (CNAME) form a loop, or there are more than 8',
  budget: 'our limit of DNS queries was reached',
};
const whyText = (why: string): string => WHY[why] ?? 'the lookup failed';

const DELEGATED = (check: CheckReader): ReasonWords['evidence'] => [
  { label: 'Alias points to', value: check.text('target') },
];

export const DNSSEC_WORDS: WordsByReason = {
  bogus: (check) => ({
    short: `DNSSEC of ${check.text('domain')} is broken`,
    message: `The DNSSEC signatures for ${check.text('domain')} are wrong or have expired. CAs must validate DNSSEC, so none will issue a certificate for ${check.names}.`,
    fix: 'Sign the zone again, and compare the DS record at your registrar with the keys of the zone. Removing the DS record turns DNSSEC off.',
  }),
  bogus_records: (check) => ({
    short: `DNSSEC signatures for ${check.names} are wrong`,
    message: `Some DNSSEC signatures for ${check.names} are wrong or have expired. ${check.consequence}`,
    fix: 'Sign the zone again.',
  }),
  resolver: () => ({
    short: 'DNSSEC cannot be checked here',
    message: 'We cannot check DNSSEC, because the DNS resolver of this server is not known to validate it.',
    fix: 'The operator can set DNS_SERVERS to a resolver that validates DNSSEC.',
  }),
  secure: () => ({ short: null, message: 'DNSSEC protects the CAA records, and its signatures are valid.' }),
  no_errors: () => ({ short: null, message: 'There are no DNSSEC errors.' }),
};

export const NAMES_WORDS: WordsByReason = {
  found: () => ({ short: null, message: 'All names of the certificate exist.' }),
  zone_gone: (check) => ({
    short: `The domain of ${check.names} does not exist any more`,
    message: `The domain of ${check.names} does not exist in DNS any more. A CA validates every name, so one missing domain stops the renewal of the whole certificate.`,
    fix: `Remove ${check.names} from the certificate in the settings of your client, or register the domain again.`,
  }),
  no_name: (check) => ({
    short: `${check.names} ${check.verb('does', 'do')} not exist any more`,
    message: `${check.names} ${check.verb('does', 'do')} not exist in DNS. One name that a CA cannot validate stops the renewal of the whole certificate. ${check.consequence}`,
    fix: `Remove ${check.names} from the certificate in the settings of your client, or create the DNS record again.`,
  }),
  no_address: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no address`,
    message: `${check.names} ${check.verb('has', 'have')} no address in DNS, so a CA cannot connect. ${check.consequence}`,
    fix: `Add an A or AAAA record, remove ${check.names} from the certificate, or validate by DNS.`,
  }),
  no_public_address: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no public address`,
    message: `${check.names} ${check.verb('has', 'have')} only addresses of private networks, to which a CA cannot connect. ${check.consequence}`,
    fix: 'Validate by DNS (dns-01), or add a public address.',
  }),
  alias_limit: (check) => ({
    short: `The aliases of ${check.names} form a loop, or there are more than 8`,
    message: `The aliases (CNAME) of ${check.names} form a loop, or there are more than 8. ${check.consequence}`,
    fix: 'Point the alias to a name that has addresses.',
  }),
  no_answer: (check) => ({
    short: `The DNS lookup of ${check.names} failed`,
    message: `The addresses of ${check.names} cannot be looked up: ${whyText(check.text('why'))}.`,
    fix: 'Check that all name servers of the domain answer.',
  }),
  not_asked: (check) => ({
    short: `${check.names} ${check.verb('was', 'were')} not looked up`,
    message: `${check.names} ${check.verb('was', 'were')} not looked up, because our limit of DNS queries was reached.`,
  }),
  unread: (check) => ({
    short: 'Not all names were looked up',
    message: `We look up 100 names of a certificate. ${check.text('count')} more were not looked up.`,
  }),
  no_names: () => ({
    short: 'The certificate has no DNS names',
    message: 'The certificate has no public DNS names, so DNS says nothing about its renewal.',
  }),
};

export const DNS_CHALLENGE_WORDS: WordsByReason = {
  plain: () => ({ short: null, message: 'Nothing in DNS prevents validation by dns-01.' }),
  delegated: (check) => ({
    short: null,
    message: 'An alias (CNAME) delegates the validation to another domain, which exists.',
    evidence: DELEGATED(check),
  }),
  target_gone: (check) => ({
    short: `The validation of ${check.names} is delegated to a domain that does not exist`,
    message: `The alias (CNAME) _acme-challenge of ${check.names} points to ${check.text('target')}, but that domain does not exist. ${check.consequence}`,
    fix: 'Point the alias to a domain that you control, or remove it.',
    evidence: DELEGATED(check),
  }),
  alias_limit: (check) => ({
    short: `The aliases of _acme-challenge for ${check.names} form a loop, or there are more than 8`,
    message: `The aliases (CNAME) of _acme-challenge for ${check.names} form a loop, or there are more than 8. ${check.consequence}`,
    fix: 'Point the alias to a domain that you control, or remove it.',
  }),
  no_answer: (check) => ({
    short: 'The records for dns-01 cannot be looked up',
    message: `The TXT records of _acme-challenge for ${check.names} cannot be looked up: ${whyText(check.text('why'))}.`,
    fix: 'Check the name servers that answer for _acme-challenge.',
  }),
};

export const PERSIST_WORDS: WordsByReason = {
  valid: () => ({ short: null, message: 'Each name has a valid _validation-persist record.' }),
  ends: (check) => ({
    short: `The _validation-persist record ends before the renewal`,
    message: `The _validation-persist record for ${check.names} ends on ${longInstant(check.number('until'))}, before the expected renewal. ${check.consequence}`,
    fix: 'Set a later persistUntil in the record, or remove persistUntil.',
  }),
  malformed: (check) => ({
    short: 'The _validation-persist record is malformed',
    message: `The _validation-persist record for ${check.names} is malformed. It needs the name of the CA and one accounturi. The optional persistUntil is a whole number of seconds since 1970. ${check.consequence}`,
    fix: 'Write the record as your CA shows it.',
  }),
  policy: (check) => ({
    short: `The _validation-persist record does not cover ${check.names}`,
    message: `The _validation-persist record of a parent domain does not cover ${check.names}, because it lacks policy=wildcard. ${check.consequence}`,
    fix: 'Add "; policy=wildcard" to the record if it should cover wildcards and all names below the domain.',
  }),
  missing: (check) => ({
    short: `${check.names} ${check.verb('has', 'have')} no _validation-persist record`,
    message: `No _validation-persist record for ${check.names} names your CA. ${check.consequence}`,
    fix: 'Add the record for each name.',
  }),
};
