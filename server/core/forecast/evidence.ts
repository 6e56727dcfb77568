import type { RegistrationObservation } from '../observation.ts';

/** A method by which CAs validate control of a name (RFC 8555 §8, RFC 8737; `dns-persist-01` is a draft). */
export const VALIDATION_METHODS = ['http-01', 'tls-alpn-01', 'dns-01', 'dns-persist-01'] as const;
export type ValidationMethod = (typeof VALIDATION_METHODS)[number];

/** Whether DNSSEC protects an answer. `not_known`: the answer is not from a trusted resolver that is known to validate. */
export type DnsSecurity = 'secure' | 'insecure' | 'not_known';

/**
 * Why a DNS question has no answer. `bogus`: the resolver refuses the answer, and gives it if it need not validate (CD=1). `servfail`: it
 * refuses both. `alias_limit`: more than 8 aliases, or a loop. `budget`: a limit of questions is reached. `not_asked`: no rule needs the answer.
 * `resolver`: our resolver denies even that the root exists.
 */
export type NoDnsAnswer =
  | 'bogus'
  | 'servfail'
  | 'refused'
  | 'timeout'
  | 'malformed'
  | 'alias_limit'
  | 'resolver'
  | 'budget'
  | 'not_asked';

/**
 * The answer to a DNS question, after aliases (CNAME, DNAME). `no_data`: the name exists without such a record. `no_name`: the name
 * does not exist (NXDOMAIN). `aliases`: the names that the aliases lead to, in order.
 */
export type DnsAnswer<Found> =
  | { outcome: 'records'; records: Found[]; aliases: string[]; security: DnsSecurity }
  | { outcome: 'no_data' | 'no_name'; aliases: string[]; security: DnsSecurity }
  | { outcome: 'no_answer'; why: NoDnsAnswer };

/** A CAA record (RFC 8659 §4.1). `flags` has all eight bits. Tag and value are text of the zone, with one character per byte. */
export interface CaaProperty {
  flags: number;
  tag: string;
  value: string;
}

/** The CAA answer of one name of the tree. */
export interface CaaStep {
  domain: string;
  answer: DnsAnswer<CaaProperty>;
}

/** What DNS says about a name of a certificate. */
export interface NameEvidence {
  /** As in the certificate, in lower case: `www.example.com` or `*.example.com`. */
  name: string;
  /** CAA answers from the name (without `*.`) upwards, up to the first with records or without an answer (RFC 8659 §3). */
  caa: CaaStep[];
  /** Whether the registered domain above the name (`example.co.uk`) exists in DNS. */
  zone: 'exists' | 'gone' | 'not_known';
  /** Addresses that the address policy permits. Not asked for wildcard names, because CAs validate these by DNS only. */
  ipv4: DnsAnswer<string>;
  /** As `ipv4`. Not asked if the account does not watch the name and the name has IPv4 addresses. */
  ipv6: DnsAnswer<string>;
  /** TXT records of `_acme-challenge` below the name. Aliases show that the validation is delegated to another zone. */
  challenge: DnsAnswer<string>;
  /** Whether the registered domain that the aliases of `challenge` lead to exists in DNS; `exists` without aliases. */
  challengeZone: 'exists' | 'gone' | 'not_known';
  /** TXT records of `_validation-persist` below the name. */
  persist: DnsAnswer<string>;
}

/** What one address answers to the HTTP request of a CA for a token that does not exist. */
export type HttpChallengeResult =
  /**
   * `url`: the last URL after redirects. `status`: HTTP status there; a status of 300 or above can be a redirect that CAs do not follow, such
   * as 303. `isPage`: a status 200 as if the token existed, without the key authorization that some servers compute from any token.
   */
  | { outcome: 'answered'; status: number; url: string; isPage: boolean }
  /** `unroutable`: also for addresses that are not public, which we do not try. */
  | { outcome: 'no_connection'; why: 'refused' | 'timeout' | 'reset' | 'unroutable' }
  /** We could not test the address: this machine lacks IPv4 or IPv6, or the policy refuses this public address, such as our own. */
  | { outcome: 'not_tested' }
  | { outcome: 'no_answer'; why: 'timeout' | 'closed' | 'not_http' }
  /** A redirect that CAs do not follow: to another port than 80 and 443, another scheme, an address, or more than ten. */
  | { outcome: 'bad_redirect'; why: 'port' | 'scheme' | 'address' | 'too_many' | 'unresolved'; url: string };

/** What a watched host answers to CAs at port 80 of each address. */
export interface HttpChallenge {
  host: string;
  results: { address: string; result: HttpChallengeResult }[];
}

/** What can be seen from outside that decides whether a CA will issue the next certificate. Instants in ms UTC. */
export interface ForecastEvidence {
  at: number;
  /** At most 100 names of the certificate. */
  names: NameEvidence[];
  /** Number of further names, which were not looked up. */
  unread: number;
  /** For names that the account watches only. */
  http: HttpChallenge[];
  /** Whether our resolver is known to validate DNSSEC. */
  resolverValidates: boolean;
}

/** What checks already know about a certificate. Instants in ms UTC. */
export interface ForecastContext {
  certificate: {
    fingerprint: string;
    notBefore: number;
    notAfter: number;
    /** DNS names and IP addresses of the certificate. */
    sans: readonly string[];
    /** Organisation and common name of the issuer. */
    issuerOrganization: string;
    issuerName: string;
  };
  /** The renewal window of the CA (RFC 9773); null if it gives none. */
  renewalWindow: { start: number; end: number } | null;
  registrations: readonly RegistrationObservation[];
  /** Earlier renewals of certificates with the same names, newest first. */
  renewals: readonly PastRenewal[];
  /** Renewals of the account's other certificates of the same CA, at most 200, newest first. */
  otherRenewals: readonly PastRenewal[];
  /** Addresses of watched hosts at which the last check got no connection to port 443. */
  unreachable443: readonly { host: string; address: string }[];
  /** `Forecast.first` of the first forecast of the certificate; null if this is the first one. */
  first: FirstForecast | null;
  now: number;
}

/** What the first forecast of a certificate saw. If it was made soon after the renewal, the CA saw the same. */
export interface FirstForecast {
  at: number;
  /** The methods that nothing we can see ruled out. */
  possible: readonly ValidationMethod[];
  /** The accounts that CAA records named (RFC 8657 §3). */
  accounts: readonly string[];
}

/** A renewal that took place. */
export interface PastRenewal {
  /** Start of validity of the old certificate and of the one that replaced it; ms UTC. */
  notBefore: number;
  renewedAt: number;
  /** Lifetime of the old certificate, ms. */
  lifetimeMs: number;
  /** The methods that could succeed at that time, if a forecast knows them; else null. */
  possible: readonly ValidationMethod[] | null;
}
