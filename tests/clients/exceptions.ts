const SAFARI = 'Safari, which no machine here can run, refuses it (support.apple.com/103769)';
const GO = 'Go reads policy constraints since 1.24; Debian has 1.19';
const MEANT = 'a server for clients with certificates refuses all others, as it is meant to';
const TRUSTED_LEAF =
  'Chromium on Linux accepts no leaf that its NSS database marks as a CA; elsewhere Chrome accepts it (ForTrustAnchorOrLeaf)';
const PARTIAL_CHAIN =
  'programs on OpenSSL refuse a trusted intermediate or accept it, as they choose; who trusts one on our pages gets a note';
const ARC = 'only old GnuTLS refuses an identifier with a number beyond 64 bits, which no registry gives';
const GO_HOST =
  'Go applied constraints on e-mail hosts to their subdomains too, until golang/go#81280; Debian has 1.19';

/** Scenarios in which our answer rightly differs from that of Debian's clients, each with the reason. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'no extendedKeyUsage': SAFARI,
  'valid for 826 days': SAFARI,
  'valid for 1200 days': SAFARI,
  'valid for 3650 days': SAFARI,
  '826 days and no serverAuth': SAFARI,
  'valid until 9999': SAFARI,
  'GeneralizedTime before 2050': SAFARI,
  'critical inhibitAnyPolicy': GO,
  'root with critical inhibitAnyPolicy': GO,
  'self-signed and trusted': TRUSTED_LEAF,
  'self-signed and trusted, without basicConstraints': TRUSTED_LEAF,
  'root that is an intermediate': PARTIAL_CHAIN,
  'leaf below the root that is an intermediate': PARTIAL_CHAIN,
  'root that is an intermediate, and a certificate for it by another root': PARTIAL_CHAIN,
  'root that is an intermediate, whose intermediate is sent first, beside the same by another root':
    PARTIAL_CHAIN,
  'registeredID with a huge arc beside the name': ARC,
  'e-mail address user@sub.example.com, excluded “example.com”': GO_HOST,
  'a client certificate is requested': MEANT,
};
