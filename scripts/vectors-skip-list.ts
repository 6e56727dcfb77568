import type { PathFailure } from '../server/pki/path-failure.ts';

/** A case or a family of cases to skip, with the reason. `id` is a full id or a family that ends in `::`. */
export type Skip = ({ readonly id: string } | { readonly feature: string }) & { readonly reason: string };

export const SKIP_LIST: readonly Skip[] = [
  {
    id: 'pathological::nc-dos-1',
    reason:
      'Has more name comparisons than OpenSSL, Chrome and GnuTLS accept. Firefox, Java and Go have no such limit, so the path is valid and the verdict names the clients that refuse it (many_constraints).',
  },
  {
    id: 'webpki::san::public-suffix-private-namespace-wildcard-san',
    reason:
      'Expects us to reject a wildcard below a suffix from the private section of the Public Suffix List. The owner of such a suffix may have it (BR §3.2.2.6), and the case online::s3.amazonaws.com, which expects acceptance, has the same wildcard.',
  },
];

/** A rule for CAs that a family of cases violates incidentally, and the reason why we ignore it in that family. */
interface Waiver {
  readonly family: string;
  readonly rule: string;
  readonly reason: string;
}

const WAIVERS: readonly Waiver[] = [
  {
    family: 'webpki::san::',
    rule: 'common-name-is-an-alternative-name (BR 7.1.4.3)',
    reason:
      'Tests only SubjectAltName: its certificates have the common name example.com whatever their alternative names are, even in cases that expect acceptance. webpki::cn tests the common name.',
  },
];

/** Returns whether all failures are waived for the family of this case. */
export function isWaived(id: string, failures: readonly PathFailure[]): boolean {
  return failures.every(({ rule }) => WAIVERS.some((one) => id.startsWith(one.family) && one.rule === rule));
}
