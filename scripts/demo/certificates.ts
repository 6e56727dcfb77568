import {
  type KeyChoice,
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  selfSigned,
} from '../../tests/kit/certificates/mint.ts';
import type { CaServer } from '../../tests/kit/peers/ca-server.ts';
import { mintCrl } from '../../tests/kit/certificates/mint-crl.ts';
import type { DemoHost } from './hosts.ts';
import { DAY_MS, HOUR_MS } from '../../contract/durations.ts';

/** Share of the lifetime after which certificates are renewed, as by most ACME clients. */
const RENEWED_AFTER = 2 / 3;
/** Name in the certificate that a host with the fault `wrong-name` serves. */
const WRONG_NAME = 'parking.moss.example';

export interface DemoCertificate extends MintedCertificate {
  notBefore: number;
  notAfter: number;
}

/** Root CA of the demo, with one intermediate CA per issuer of its hosts. */
export interface DemoAuthority {
  rootPem: string;
  /**
   * Issues a host's certificates from the one valid at `since` (ms UTC) to the current one. Returns them oldest first.
   */
  issueSince(host: DemoHost, since: number): DemoCertificate[];
  /** Serves each authority's CRL at the URL that its certificates name. */
  publish(): void;
}

/** Maximum lifetime of certificates without a CRL URL: their lifetime is too short for revocation. */
const TOO_SHORT_TO_REVOKE_MS = 7 * DAY_MS;
const REVOKED_SINCE_MS = 3 * HOUR_MS;
const KEY_COMPROMISE = 1;

export function createDemoAuthority(now: number, web: CaServer): DemoAuthority {
  const root = mintAuthority({
    commonName: 'Certlantern Demo Root',
    organization: 'Certlantern Demo',
    notBefore: now - 3_650 * DAY_MS,
    notAfter: now + 3_650 * DAY_MS,
  });
  const issuers = new Map<string, MintedAuthority>();
  const revoked = new Map<string, DemoCertificate[]>();
  const issuerOf = ({ issuer }: Pick<DemoHost, 'issuer'>): MintedAuthority => {
    const known = issuers.get(issuer.commonName);
    const authority =
      known ??
      root.intermediate({ ...issuer, notBefore: now - 1_000 * DAY_MS, notAfter: now + 1_500 * DAY_MS });
    issuers.set(issuer.commonName, authority);
    return authority;
  };

  const crlUrl = (commonName: string) => `${web.origin}/${slugOf({ commonName })}.crl`;

  function issue(
    host: DemoHost & { key?: KeyChoice },
    name: string,
    notBefore: number,
    notAfter: number,
  ): DemoCertificate {
    const options = {
      commonName: name,
      dnsNames: [name, ...(host.otherNames ?? [])],
      notBefore,
      notAfter,
      ...(host.key === undefined ? {} : { key: host.key }),
    };
    if (host.fault === 'self-signed')
      return { ...selfSigned({ ...options, ...host.issuer }), notBefore, notAfter };
    const issuer = issuerOf(host);
    const certificate = issuer.issue({
      ...options,
      caIssuersUrls: [web.issuer(`/${slugOf(host.issuer)}.cer`, issuer.der)],
      crlUrls: notAfter - notBefore > TOO_SHORT_TO_REVOKE_MS ? [crlUrl(host.issuer.commonName)] : [],
    });
    return { ...certificate, notBefore, notAfter };
  }

  return {
    rootPem: root.certificatePem,
    issueSince(host, since) {
      // Five extra hours keep "expires in 2 days" true for a while.
      const notAfter = now + host.expiresInDays * DAY_MS + 5 * HOUR_MS;
      const lifetime = (host.issuedDaysAgo + host.expiresInDays) * DAY_MS;
      const certificates: DemoCertificate[] = [];
      for (let end = notAfter; ; end -= lifetime * RENEWED_AFTER) {
        const isCurrent = end === notAfter;
        const isWrong = host.fault === 'wrong-name' && isCurrent;
        const hostAtIssue = isCurrent ? host : { ...host, ...host.former };
        certificates.unshift(issue(hostAtIssue, isWrong ? WRONG_NAME : host.name, end - lifetime, end));
        if (end - lifetime <= since) break;
      }
      const served = certificates.at(-1);
      if (host.fault === 'revoked' && served) revoked.set(host.issuer.commonName, [served]);
      return certificates;
    },
    publish() {
      const since = { revokedAt: now - REVOKED_SINCE_MS, reason: KEY_COMPROMISE };
      for (const [commonName, issuer] of issuers) {
        const url = crlUrl(commonName);
        const entries = (revoked.get(commonName) ?? []).map((one) => ({ ...one, ...since }));
        web.crl(new URL(url).pathname, mintCrl(issuer, { url, revoked: entries }));
      }
    },
  };
}

function slugOf({ commonName }: Pick<DemoHost['issuer'], 'commonName'>): string {
  return commonName.toLowerCase().replaceAll(/\W+/g, '-');
}
