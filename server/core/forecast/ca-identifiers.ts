import type { ValidationMethod } from './evidence.ts';

/** A certificate authority and the domain names by which CAA records name it (RFC 8659 §4.2). */
export interface CaIdentity {
  /** The CA's name on pages: "Let's Encrypt". */
  name: string;
  /** How the organisation of its issuers begins: in lower case, and only letters and digits. */
  organizations: readonly string[];
  /** The issuer domain names that its certification practice statement or the CCADB lists, the usual one first. */
  domains: readonly string[];
  /** Further names that only some sources list, so that we do not know whether the CA accepts them. */
  unconfirmed?: readonly string[];
  /** Whether the CA processes `accounturi` and `validationmethods` (RFC 8657) before it has to. */
  processesParameters?: true;
  /** Whether the CA compares issuer domain names case-sensitively. Such a CA (Boulder) also takes the flag value 1 for "critical". */
  isCaseSensitive?: true;
  /** How the URIs of its accounts begin, if it accepts no others in `accounturi`. */
  accountPrefixes?: readonly string[];
  /** The methods by which the CA validates names; absent if it has others than those of ACME, such as mail. */
  methods?: readonly ValidationMethod[];
}

const DIGICERT_DOMAINS = [
  'digicert.com',
  'www.digicert.com',
  'digicert.ne.jp',
  'cybertrust.ne.jp',
  'thawte.com',
  'geotrust.com',
  'rapidssl.com',
  'symantec.com',
  'digitalcertvalidation.com',
  'volusion.digitalcertvalidation.com',
  'stratossl.digitalcertvalidation.com',
  'intermediatecertificate.digitalcertvalidation.com',
  '1and1.digitalcertvalidation.com',
  'quovadisglobal.com',
  'pkioverheid.nl',
  'www.pkioverheid.nl',
];
const ENTRUST_DOMAINS = ['entrust.net', 'affirmtrust.com'];
/** `caaIdentities` in the ACME directory of ZeroSSL, which Sectigo runs. */
const SECTIGO_DOMAINS = [
  'sectigo.com',
  'trust-provider.com',
  'usertrust.com',
  'comodoca.com',
  'comodo.com',
  ...ENTRUST_DOMAINS,
];

/**
 * The CAs that issue most public certificates. Sources: the CCADB's AllCAAIdentifiersReport (copies in public tools) and section 4.2 of the CAs'
 * practice statements. How Let's Encrypt reads records: `va/caa.go` of github.com/letsencrypt/boulder.
 */
export const CA_IDENTITIES: readonly CaIdentity[] = [
  {
    name: "Let's Encrypt",
    organizations: ['letsencrypt', 'internetsecurityresearchgroup'],
    domains: ['letsencrypt.org'],
    processesParameters: true,
    isCaseSensitive: true,
    accountPrefixes: [
      'https://acme-v02.api.letsencrypt.org/acme/acct/',
      'https://acme-v01.api.letsencrypt.org/acme/reg/',
    ],
    methods: ['http-01', 'tls-alpn-01', 'dns-01', 'dns-persist-01'],
  },
  {
    name: 'Google Trust Services',
    organizations: ['googletrustservices'],
    domains: ['pki.goog'],
    unconfirmed: ['google.com'],
  },
  {
    name: 'DigiCert',
    organizations: ['digicert', 'geotrust', 'thawte', 'rapidssl', 'symantec', 'verokey', 'quovadis'],
    domains: DIGICERT_DOMAINS,
    unconfirmed: ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com'],
  },
  {
    name: 'Sectigo',
    organizations: [
      'sectigo',
      'comodoca',
      'theusertrustnetwork',
      'gandi',
      'networksolutions',
      'cpanel',
      'gehirn',
      'corporationservicecompany',
      'internet2',
    ],
    domains: SECTIGO_DOMAINS,
    unconfirmed: ['web.com', 'networksolutions.com', 'cpanel.net', 'gandi.net', 'incommon.org'],
  },
  {
    name: 'ZeroSSL',
    organizations: ['zerossl'],
    domains: SECTIGO_DOMAINS,
    unconfirmed: ['zerossl.com'],
  },
  {
    name: 'Amazon',
    organizations: ['amazon'],
    domains: ['amazon.com', 'amazontrust.com', 'awstrust.com', 'amazonaws.com', 'aws.amazon.com'],
  },
  { name: 'GlobalSign', organizations: ['globalsign'], domains: ['globalsign.com'] },
  {
    name: 'GoDaddy',
    organizations: ['godaddy', 'starfieldtechnologies'],
    domains: ['godaddy.com', 'starfieldtech.com'],
  },
  {
    name: 'Entrust',
    organizations: ['entrust', 'affirmtrust'],
    domains: ENTRUST_DOMAINS,
    unconfirmed: ['sectigo.com', 'ssl.com'],
  },
  { name: 'SSL.com', organizations: ['sslcorp', 'sslcom'], domains: ['ssl.com', ...ENTRUST_DOMAINS] },
  { name: 'Certainly', organizations: ['certainly'], domains: ['certainly.com'] },
  { name: 'Buypass', organizations: ['buypass'], domains: ['buypass.com', 'buypass.no'] },
  {
    name: 'Certum',
    organizations: ['assecodatasystems', 'unizetotechnologies', 'certum'],
    domains: ['certum.pl', 'certum.eu'],
    unconfirmed: ['yandex.ru'],
  },
  { name: 'IdenTrust', organizations: ['identrust'], domains: ['identrust.com'] },
  { name: 'HARICA', organizations: ['hellenicacademicandresearch', 'harica'], domains: ['harica.gr'] },
  { name: 'Actalis', organizations: ['actalis'], domains: ['actalis.it'] },
  {
    name: 'SwissSign',
    organizations: ['swisssign'],
    domains: [
      'swisssign.com',
      'swisssign.net',
      'swissign.com',
      'swisssign.ch',
      'swisssign.li',
      'swisssign.org',
    ],
  },
  {
    name: 'Telekom Security',
    organizations: ['deutschetelekomsecurity', 'tsystems'],
    domains: ['telesec.de', 'pki.dfn.de', 'dfn.de'],
  },
  {
    name: 'D-Trust',
    organizations: ['dtrust'],
    domains: ['d-trust.net', 'dtrust.net', 'd-trust.de', 'dtrust.de'],
  },
  {
    name: 'VikingCloud',
    organizations: ['trustwave', 'securetrust', 'vikingcloud'],
    domains: ['trustwave.com', 'securetrust.com', 'vikingcloud.com'],
  },
  {
    name: 'SECOM',
    organizations: ['secomtrust'],
    domains: ['secomtrust.net'],
    unconfirmed: ['jcsinc.co.jp', 'cybertrust.ne.jp'],
  },
  {
    name: 'Cybertrust Japan',
    organizations: ['cybertrustjapan'],
    domains: ['cybertrust.ne.jp', 'cybertrust.co.jp', 'jcsinc.co.jp'],
    unconfirmed: ['secomtrust.net'],
  },
  { name: 'JPRS', organizations: ['japanregistryservices'], domains: ['jprs.jp'] },
  { name: 'TWCA', organizations: ['taiwanca', 'twca'], domains: ['twca.com.tw'] },
  {
    name: 'Chunghwa Telecom',
    organizations: ['chunghwatelecom'],
    domains: ['pki.hinet.net', 'tls.hinet.net', 'eca.hinet.net', 'epki.com.tw', 'publicca.hinet.net'],
  },
  { name: 'Microsec', organizations: ['microsec'], domains: ['e-szigno.hu'] },
  {
    name: 'NETLOCK',
    organizations: ['netlock'],
    domains: ['netlock.hu', 'netlock.net', 'netlock.eu', 'netlock.com'],
  },
  { name: 'Firmaprofesional', organizations: ['firmaprofesional'], domains: ['firmaprofesional.com'] },
  { name: 'ACCV', organizations: ['accv'], domains: ['accv.es'] },
  { name: 'Izenpe', organizations: ['izenpe'], domains: ['izenpe.com', 'izenpe.eus'] },
  { name: 'ANF AC', organizations: ['anfautoridad'], domains: ['anf.es'] },
  {
    name: 'Certigna',
    organizations: ['certigna', 'dhimyotis'],
    domains: ['certigna.fr', 'certigna.com'],
    unconfirmed: ['dhimyotis.com'],
  },
  { name: 'Camerfirma', organizations: ['accamerfirma', 'camerfirma'], domains: ['camerfirma.com'] },
  { name: 'emSign', organizations: ['emudhra', 'emsign'], domains: ['emsign.com'] },
  {
    name: 'NAVER Cloud',
    organizations: ['navercloud', 'naverbusinessplatform'],
    domains: ['certificate.naver.com', 'navercloudtrust.com'],
  },
  {
    name: 'Microsoft',
    organizations: ['microsoft'],
    domains: ['microsoft.com'],
    unconfirmed: ['digicert.com'],
  },
  { name: 'Apple', organizations: ['apple'], domains: ['pki.apple.com'], unconfirmed: ['digicert.com'] },
  { name: 'certSIGN', organizations: ['certsign'], domains: ['certsign.ro'] },
  { name: 'Disig', organizations: ['disig'], domains: ['disig.sk'] },
  { name: 'FNMT', organizations: ['fnmt'], domains: ['fnmt.es'] },
  { name: 'Telia', organizations: ['telia'], domains: ['telia.com', 'telia.fi', 'telia.se'] },
  {
    name: 'TrustAsia',
    organizations: ['trustasia'],
    domains: ['trustasia.com'],
    unconfirmed: ['digicert.com', 'sectigo.com'],
  },
  {
    name: 'SHECA',
    organizations: ['unitrust', 'sheca'],
    domains: ['sheca.com', 'imtrust.cn', 'wwwtrust.cn'],
  },
  { name: 'CFCA', organizations: ['chinafinancialcertification'], domains: ['cfca.com.cn'] },
  {
    name: 'Hongkong Post',
    organizations: ['hongkongpost'],
    domains: ['ecert.gov.hk', 'hongkongpost.gov.hk'],
  },
  {
    name: 'OISTE WISeKey',
    organizations: ['wisekey', 'oiste'],
    domains: ['wisekey.com', 'hightrusted.com', 'certifyid.com', 'oiste.org'],
  },
];

/** Last day on which somebody compared `CA_IDENTITIES` with its sources. */
export const CA_IDENTITIES_REVIEW = {
  id: 'ca_identities',
  source: 'https://www.ccadb.org/resources',
  reviewedOn: '2026-12-01',
};

/** Returns the CA of an issuer by its organisation, or by its common name if it has none; null if we do not know the CA. */
export function caOf(issuer: { issuerOrganization: string; issuerName: string }): CaIdentity | null {
  const written = issuer.issuerOrganization.trim() === '' ? issuer.issuerName : issuer.issuerOrganization;
  const key = written
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return (
    CA_IDENTITIES.find(({ organizations }) => organizations.some((beginning) => key.startsWith(beginning))) ??
    null
  );
}

/** Returns the CA that CAA records allow by this domain name, compared in any case; null if we know none. */
export function caNamed(domain: string): CaIdentity | null {
  const lower = domain.toLowerCase();
  const named = CA_IDENTITIES.filter(({ domains }) => domains.includes(lower));
  return named.find(({ domains }) => domains[0] === lower) ?? named[0] ?? null;
}
