import type { Certificate, PathFailure } from '../../pki/index.ts';
import { certificateName, issuerName } from '../facts.ts';
import type { ChainFinding } from './chain-finding.ts';
import { longDate } from '../long-date.ts';
import type { FindingCode } from '../verdict.ts';

/** Every reason for which no path holds, as findings. `named`: the certificates that the failures are about, by fingerprint. */
export function describeFailures(
  failures: readonly PathFailure[],
  named: ReadonlyMap<string, Certificate>,
): ChainFinding[] {
  const findings = new Map<string, ChainFinding>();
  for (const failure of failures) {
    const certificate = named.get(failure.fingerprint);
    // Expired intermediates have their own finding.
    if (certificate === undefined || (failure.code === 'expired' && failure.role === 'intermediate'))
      continue;
    const [code, message] = sentence(failure, certificate);
    const { fingerprint } = certificate;
    const evidence = [
      { label: 'Certificate', value: certificateName(certificate) },
      { label: 'Issued by', value: issuerName(certificate) },
    ];
    findings.set(`${code} ${message}`, { code, severity: 'critical', message, fingerprint, evidence });
  }
  return [...findings.values()];
}

function sentence({ code, role }: PathFailure, certificate: Certificate): [FindingCode, string] {
  const name = `“${certificateName(certificate)}”`;
  const which = role === 'leaf' ? 'The certificate' : `The authority certificate ${name}`;
  if (code === 'no_issuer') return missingIssuer(certificate, role);
  if (code === 'untrusted_root') {
    return [code, `The certificate is not trusted: it leads to ${name}, which is not a known authority.`];
  }
  if (code === 'expired') {
    const date = longDate(certificate.notAfter, 'UTC');
    return ['untrusted_root', `The certificate is not trusted: its authority ${name} expired on ${date}.`];
  }
  if (code === 'self_signed') {
    return [code, 'The certificate is signed by itself and not trusted: no authority vouches for it.'];
  }
  if (code === 'weak_key') return [code, `${which} has a key (${keyName(certificate)}) that clients refuse.`];
  if (code === 'weak_signature') {
    return [code, `${which} is signed with ${certificate.signatureAlgorithm}, which clients refuse.`];
  }
  if (code === 'malformed') {
    return [
      'malformed_certificate',
      `${which} has a part that cannot be read, so that clients may refuse it.`,
    ];
  }
  if (code === 'not_yet_valid') {
    return ['path_invalid', `${which} is valid only from ${longDate(certificate.notBefore, 'UTC')} on.`];
  }
  return ['path_invalid', `${which} ${PATH_FAULTS[code]}.`];
}

const PATH_FAULTS: Record<
  Exclude<
    PathFailure['code'],
    | 'no_issuer'
    | 'untrusted_root'
    | 'self_signed'
    | 'weak_key'
    | 'weak_signature'
    | 'malformed'
    | 'not_yet_valid'
    | 'expired'
  >,
  string
> = {
  bad_signature: 'claims an issuer that did not sign it',
  extended_key_usage: 'is not meant for web servers (extended key usage)',
  key_usage: 'may not be used this way (key usage)',
  not_a_ca: 'has issued a certificate without being an authority',
  path_length: 'has more authorities below it than it allows',
  name_constraints: 'may not issue for the names of this certificate',
  unknown_critical_extension: 'has a critical extension that clients do not know',
  policy: 'does not fulfil the certificate policies that its chain asks for',
  profile: 'breaks a rule of its authority',
  name_mismatch: 'is for another name',
};

/** Where a certificate says where its issuer can be fetched, the authority is public and the chain merely cut short. */
function missingIssuer(certificate: Certificate, role: PathFailure['role']): [FindingCode, string] {
  const issuer = `“${issuerName(certificate)}”`;
  return role === 'leaf' && certificate.caIssuersUrls.length > 0
    ? [
        'incomplete_chain',
        `The chain is incomplete: the server does not send ${issuer}, which could not be found elsewhere either.`,
      ]
    : [
        'untrusted_root',
        `The certificate is not trusted: its issuer ${issuer} is neither sent by the server nor a known authority.`,
      ];
}

function keyName({ key }: Certificate): string {
  return key.curve ?? `${key.type.toUpperCase()}, ${key.bits} bits`;
}
