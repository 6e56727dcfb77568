import {
  mintAuthority,
  type MintedAuthority,
  type MintedCertificate,
  selfSigned,
} from '../../tests/kit/mint.ts';
import type { DemoHost } from './hosts.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Certificates are renewed with a third of their lifetime left, as most software does it. */
const RENEWED_AFTER = 2 / 3;
/** Whose certificate a host shows that was moved to another server by mistake. */
const PARKED = 'parking.moss.example';

export interface DemoCertificate extends MintedCertificate {
  notBefore: number;
  notAfter: number;
}

/** A root of the demo's own, and below it one authority for each name that its hosts seem to come from. */
export interface DemoAuthority {
  rootPem: string;
  /** New certificates for a host, from the one valid at `since` to the one it serves now, oldest first. */
  issueSince(host: DemoHost, since: number): DemoCertificate[];
}

export function createDemoAuthority(now: number): DemoAuthority {
  const root = mintAuthority({
    commonName: 'Certlantern Demo Root',
    organization: 'Certlantern Demo',
    notBefore: now - 3_650 * DAY_MS,
    notAfter: now + 3_650 * DAY_MS,
  });
  const issuers = new Map<string, MintedAuthority>();
  const issuerOf = ({ issuer }: DemoHost): MintedAuthority => {
    const known = issuers.get(issuer.commonName);
    const authority =
      known ??
      root.intermediate({ ...issuer, notBefore: now - 1_000 * DAY_MS, notAfter: now + 1_500 * DAY_MS });
    issuers.set(issuer.commonName, authority);
    return authority;
  };

  function issue(host: DemoHost, name: string, notBefore: number, notAfter: number): DemoCertificate {
    const options = {
      commonName: name,
      dnsNames: [name, ...(host.otherNames ?? [])],
      caIssuersUrls: [
        `http://${host.issuer.commonName.toLowerCase().replaceAll(/\W+/g, '-')}.issuer.example/`,
      ],
      notBefore,
      notAfter,
    };
    const certificate =
      host.fault === 'self-signed'
        ? selfSigned({ ...options, ...host.issuer, caIssuersUrls: [] })
        : issuerOf(host).issue(options);
    return { ...certificate, notBefore, notAfter };
  }

  return {
    rootPem: root.certificatePem,
    issueSince(host, since) {
      // Some hours on top, so that "expires in 2 days" stays true for a while.
      const notAfter = now + host.expiresInDays * DAY_MS + 5 * HOUR_MS;
      const lifetime = (host.issuedDaysAgo + host.expiresInDays) * DAY_MS;
      const certificates: DemoCertificate[] = [];
      for (let end = notAfter; ; end -= lifetime * RENEWED_AFTER) {
        const isWrong = host.fault === 'wrong-name' && end === notAfter;
        certificates.unshift(issue(host, isWrong ? PARKED : host.name, end - lifetime, end));
        if (end - lifetime <= since) return certificates;
      }
    },
  };
}
