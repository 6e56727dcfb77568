/** A case or a whole family that is not judged, and why. `id` is a full id or a family ending in `::`. */
export type Skip = ({ readonly id: string } | { readonly feature: string }) & { readonly reason: string };

export const SKIP_LIST: readonly Skip[] = [
  {
    feature: 'has-crl',
    reason: 'Revocation is no part of path building here, and no CRL is read yet.',
  },
  {
    feature: 'pedantic-public-suffix-wildcard',
    reason:
      'Needs the Public Suffix List. Which wildcards a CA may issue is for the CA; no TLS client refuses a wildcard by that list.',
  },
];
