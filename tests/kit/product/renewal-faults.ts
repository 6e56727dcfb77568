import { DAY_MS, SECOND_MS } from '../../../contract/durations.ts';
import type { CaaProperty } from '../../../server/core/forecast/evidence.ts';
import {
  caa,
  DIGICERT,
  healthySite,
  NO_DATA,
  NO_NAME,
  noAnswer,
  NOW,
  records,
  type RenewalSite,
  type SiteOptions,
  withCaa,
  withCaaAnswer,
  withHttp,
  withName,
  withNames,
} from './renewal-site.ts';

/** A kind of fault that makes a renewal fail, and a site that looks similar and whose renewal works. */
export interface RenewalFault {
  id: string;
  fault: (domain: string) => RenewalSite;
  /** The twin. Its forecast must not be "fails". */
  twin: (domain: string) => RenewalSite;
  /** Whether the forecast of the twin has to be "works". Default: true. */
  twinIsKnown?: false;
}

const WILDCARD: SiteOptions = { labels: ['', '*'] };
const HTTP_ONLY: SiteOptions = { renewals: [['http-01'], ['http-01', 'tls-alpn-01', 'dns-01']] };
const DNS_ONLY: SiteOptions = { renewals: [['dns-01']] };
const ACCOUNT = 'https://acme-v02.api.letsencrypt.org/acme/acct/1234';
const STAGING_ACCOUNT = 'https://acme-staging-v02.api.letsencrypt.org/acme/acct/1234';
const isIpv6 = (address: string): boolean => address.includes(':');

/** Returns a kind whose fault and twin differ in their CAA records only. */
function caaKind(
  id: string,
  fault: CaaProperty[],
  twin: CaaProperty[],
  options: SiteOptions = {},
): RenewalFault {
  return {
    id,
    fault: (domain) => withCaa(healthySite(domain, options), fault),
    twin: (domain) => withCaa(healthySite(domain, options), twin),
  };
}

const CAA_FAULTS: RenewalFault[] = [
  caaKind(
    'caa_other_ca',
    [caa('issue', 'digicert.com')],
    [caa('issue', 'digicert.com'), caa('issue', 'letsencrypt.org')],
  ),
  caaKind('caa_nobody', [caa('issue', ';')], [caa('issue', ';'), caa('issue', 'letsencrypt.org')]),
  caaKind('caa_empty', [caa('issue', '')], [caa('iodef', 'mailto:security@example.com')]),
  caaKind(
    'caa_wildcard_nobody',
    [caa('issue', 'letsencrypt.org'), caa('issuewild', ';')],
    [caa('issue', 'digicert.com'), caa('issue', 'letsencrypt.org'), caa('issuewild', 'letsencrypt.org')],
    WILDCARD,
  ),
  caaKind(
    'caa_wildcard_other_ca',
    [caa('issue', 'letsencrypt.org'), caa('issuewild', 'digicert.com')],
    [caa('issue', 'letsencrypt.org')],
    WILDCARD,
  ),
  caaKind(
    'caa_name_of_wildcard',
    [caa('issue', ';'), caa('issuewild', 'letsencrypt.org')],
    [caa('issuewild', ';')],
  ),
  caaKind(
    'caa_critical',
    [caa('issue', 'letsencrypt.org'), caa('tbs', 'Unknown', 128)],
    [caa('issue', 'letsencrypt.org', 128), caa('tbs', 'Unknown', 0)],
  ),
  caaKind('caa_trailing_dot', [caa('issue', 'letsencrypt.org.')], [caa('ISSUE', ' letsencrypt.org ; ')]),
  caaKind(
    'caa_malformed_parameter',
    [caa('issue', 'letsencrypt.org; account')],
    [caa('issue', 'letsencrypt.org; account=1')],
  ),
  caaKind(
    'caa_two_cas_in_one',
    [caa('issue', 'letsencrypt.org, digicert.com')],
    [caa('issue', 'digicert.com;policy=ev'), caa('issue', 'letsencrypt.org')],
  ),
  caaKind(
    'caa_staging_account',
    [caa('issue', `letsencrypt.org; accounturi=${STAGING_ACCOUNT}`)],
    [caa('issue', `letsencrypt.org; accounturi=${ACCOUNT}`)],
  ),
  caaKind(
    'caa_two_accounts',
    [caa('issue', `letsencrypt.org; accounturi=${ACCOUNT}; accounturi=${ACCOUNT}5`)],
    [
      caa('issue', `letsencrypt.org; accounturi=${ACCOUNT}`),
      caa('issue', `letsencrypt.org; accounturi=${ACCOUNT}5`),
    ],
  ),
  caaKind(
    'caa_http_for_wildcard',
    [caa('issue', 'letsencrypt.org; validationmethods=http-01')],
    [caa('issue', 'letsencrypt.org; validationmethods=http-01,dns-01')],
    WILDCARD,
  ),
  caaKind(
    'caa_other_method',
    [caa('issue', 'letsencrypt.org; validationmethods=dns-01')],
    [caa('issue', 'letsencrypt.org; validationmethods=dns-01,http-01')],
    HTTP_ONLY,
  ),
  caaKind(
    'caa_unknown_method',
    [caa('issue', 'letsencrypt.org; validationmethods=xyz-01')],
    [caa('issue', 'letsencrypt.org; validationmethods=xyz-01,http-01')],
  ),
  caaKind(
    'caa_malformed_methods',
    [caa('issue', 'letsencrypt.org; validationmethods=http_01')],
    [caa('issue', 'letsencrypt.org; validationmethods=ca-tbr-19')],
  ),
  caaKind('caa_other_commercial_ca', [caa('issue', 'letsencrypt.org')], [caa('issue', 'GeoTrust.com')], {
    issuer: DIGICERT,
    lifetimeDays: 200,
    ageDays: 120,
  }),
  {
    id: 'caa_of_one_name',
    fault: (domain) => withCaa(healthySite(domain), [caa('issue', 'sectigo.com')], `api.${domain}`),
    twin: (domain) =>
      withCaa(withCaa(healthySite(domain), [caa('issue', 'letsencrypt.org')], `api.${domain}`), [
        caa('issue', 'letsencrypt.org'),
      ]),
  },
  {
    id: 'caa_behind_alias',
    fault: (domain) =>
      withCaaAnswer(
        healthySite(domain),
        records([caa('issue', 'amazon.com')], ['cdn.example.net']),
        `www.${domain}`,
      ),
    twin: (domain) => withCaaAnswer(healthySite(domain), { ...NO_DATA, aliases: ['cdn.example.net'] }, 'com'),
  },
  {
    id: 'caa_unknown_ca',
    fault: (domain) =>
      withCaa(
        healthySite(domain, { issuer: { issuerOrganization: 'Fjord Authority', issuerName: 'Fjord CA' } }),
        [caa('issue', ';')],
      ),
    twin: (domain) =>
      withCaa(
        healthySite(domain, { issuer: { issuerOrganization: 'Fjord Authority', issuerName: 'Fjord CA' } }),
        [caa('issue', 'fjord.example')],
      ),
    twinIsKnown: false,
  },
];

const DNS_FAULTS: RenewalFault[] = [
  {
    id: 'dnssec_bogus',
    fault: (domain) =>
      withNames(withCaaAnswer(healthySite(domain), noAnswer('bogus')), () => ({
        ipv4: noAnswer('bogus'),
        ipv6: noAnswer('bogus'),
      })),
    twin: (domain) => withCaaAnswer(healthySite(domain), noAnswer('servfail')),
    twinIsKnown: false,
  },
  {
    id: 'dnssec_bogus_parent',
    fault: (domain) => withCaaAnswer(healthySite(domain), noAnswer('bogus'), 'com'),
    twin: (domain) => withCaaAnswer(healthySite(domain), noAnswer('timeout'), 'com'),
    twinIsKnown: false,
  },
  {
    id: 'dnssec_bogus_addresses',
    fault: (domain) =>
      withName(healthySite(domain), 1, () => ({ ipv4: noAnswer('bogus'), ipv6: noAnswer('bogus') })),
    twin: (domain) =>
      withName(healthySite(domain, DNS_ONLY), 1, () => ({
        ipv4: noAnswer('bogus'),
        ipv6: noAnswer('bogus'),
      })),
  },
  {
    id: 'zone_of_one_name_gone',
    fault: (domain) =>
      withName(healthySite(domain), 2, () => ({ zone: 'gone', ipv4: NO_NAME, ipv6: NO_NAME })),
    twin: (domain) => withName(healthySite(domain), 2, () => ({ zone: 'not_known' })),
  },
  {
    id: 'zone_of_wildcard_gone',
    fault: (domain) => withNames(healthySite(domain, WILDCARD), () => ({ zone: 'gone' })),
    twin: (domain) => healthySite(domain, WILDCARD),
  },
  {
    id: 'name_gone',
    fault: (domain) => withName(healthySite(domain), 2, () => ({ ipv4: NO_NAME, ipv6: NO_NAME })),
    twin: (domain) => withName(healthySite(domain, DNS_ONLY), 2, () => ({ ipv4: NO_NAME, ipv6: NO_NAME })),
  },
  {
    id: 'name_gone_among_many',
    fault: (domain) => withName(manyNames(domain), 42, () => ({ ipv4: NO_NAME, ipv6: NO_NAME })),
    twin: manyNames,
  },
  {
    id: 'address_gone',
    fault: (domain) => withName(healthySite(domain), 1, () => ({ ipv4: NO_DATA, ipv6: NO_DATA })),
    twin: (domain) => withName(healthySite(domain), 1, () => ({ ipv4: NO_DATA })),
  },
  {
    id: 'alias_to_nowhere',
    fault: (domain) =>
      withName(healthySite(domain), 1, () => ({
        ipv4: { ...NO_NAME, aliases: ['gone.example.net'] },
        ipv6: { ...NO_NAME, aliases: ['gone.example.net'] },
      })),
    twin: (domain) =>
      withName(healthySite(domain), 1, () => ({ ipv4: records(['192.0.2.1'], ['cdn.example.net']) })),
  },
  {
    id: 'alias_loop',
    fault: (domain) =>
      withName(healthySite(domain), 1, () => ({
        ipv4: noAnswer('alias_limit'),
        ipv6: noAnswer('alias_limit'),
      })),
    twin: (domain) => withName(healthySite(domain), 1, () => ({ ipv6: noAnswer('not_asked') })),
  },
];

const delegated = (domain: string) => [`${domain.replaceAll('.', '-')}.acme-dns.example.net`];

const METHOD_FAULTS: RenewalFault[] = [
  {
    id: 'delegation_gone',
    fault: (domain) =>
      withNames(healthySite(domain, WILDCARD), () => ({
        challenge: { ...NO_NAME, aliases: delegated(domain) },
        challengeZone: 'gone',
      })),
    twin: (domain) =>
      withNames(healthySite(domain, WILDCARD), () => ({
        challenge: { ...NO_NAME, aliases: delegated(domain) },
      })),
  },
  {
    id: 'delegation_loop',
    fault: (domain) =>
      withNames(healthySite(domain, WILDCARD), () => ({ challenge: noAnswer('alias_limit') })),
    twin: (domain) =>
      withNames(healthySite(domain, WILDCARD), () => ({ challenge: records(['old'], delegated(domain)) })),
  },
  {
    id: 'delegation_bogus',
    fault: (domain) => withNames(healthySite(domain, WILDCARD), () => ({ challenge: noAnswer('bogus') })),
    twin: (domain) => withNames(healthySite(domain), () => ({ challenge: noAnswer('bogus') })),
  },
  {
    id: 'persist_ends',
    fault: (domain) => persistSite(domain, `; persistUntil=${(NOW + 2 * DAY_MS) / SECOND_MS}`),
    twin: (domain) => persistSite(domain, `; persistUntil=${(NOW + 200 * DAY_MS) / SECOND_MS}`),
  },
  {
    id: 'persist_lost',
    fault: (domain) =>
      withNames(persistSite(domain, '', PERSIST_ONLY), () => ({ persist: records(['letsencrypt.org']) })),
    twin: (domain) => persistSite(domain, '; policy=wildcard', PERSIST_ONLY),
  },
  {
    id: 'persist_without_wildcards',
    fault: (domain) => persistSite(domain, '', { ...PERSIST_ONLY, ...WILDCARD }),
    twin: (domain) => persistSite(domain, '; policy=WILDCARD', { ...PERSIST_ONLY, ...WILDCARD }),
  },
  httpKind('port_80_closed', { outcome: 'no_connection', why: 'timeout' }),
  httpKind('port_80_not_http', { outcome: 'no_answer', why: 'not_http' }),
  httpKind('redirect_to_other_port', {
    outcome: 'bad_redirect',
    why: 'port',
    url: 'http://www.example.com:8080/',
  }),
  httpKind('redirect_loop', { outcome: 'bad_redirect', why: 'too_many', url: 'http://www.example.com/' }),
  {
    id: 'ipv6_redirects_elsewhere',
    fault: (domain) =>
      withHttp(
        healthySite(domain, HTTP_ONLY),
        { outcome: 'bad_redirect', why: 'scheme', url: 'ftp://www.example.com/' },
        isIpv6,
      ),
    twin: (domain) =>
      withHttp(healthySite(domain, HTTP_ONLY), { outcome: 'no_connection', why: 'timeout' }, isIpv6),
  },
];

/** Kinds of faults. The benchmark and the tests make sites of each. */
export const RENEWAL_FAULTS: readonly RenewalFault[] = [...CAA_FAULTS, ...DNS_FAULTS, ...METHOD_FAULTS];

const PERSIST_ONLY: SiteOptions = { renewals: [['dns-persist-01']] };

/** Returns a kind whose fault is a site that uses http-01. Its twin has the same answer at port 80 and validates by DNS. */
function httpKind(id: string, result: Parameters<typeof withHttp>[1]): RenewalFault {
  return {
    id,
    fault: (domain) => withHttp(healthySite(domain, HTTP_ONLY), result),
    twin: (domain) => withHttp(healthySite(domain, DNS_ONLY), result),
  };
}

function persistSite(domain: string, parameters: string, options: SiteOptions = {}): RenewalSite {
  return withNames(healthySite(domain, options), () => ({
    persist: records([`letsencrypt.org; accounturi=${ACCOUNT}${parameters}`]),
  }));
}

function manyNames(domain: string): RenewalSite {
  return healthySite(domain, { labels: Array.from({ length: 60 }, (_, index) => `host-${index}`) });
}
