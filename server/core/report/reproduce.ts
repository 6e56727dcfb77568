import { factsOf } from '../../../contract/protocols.ts';
import { offeredAlpn } from '../protocol.ts';
import type { KeyType } from '../../../contract/check-words.ts';
import type { ReachStage } from '../observation.ts';
import { srvServices } from '../srv.ts';
import { type CheckedEndpoint, effectiveTarget, isIpText } from '../target.ts';

/** The finding to show and its endpoint. The host is an A-label or an IP address. All fields may be untrusted. */
export interface Reproduction {
  /** The rule of a finding about clients that refuse. */
  rule?: string | undefined;
  endpoint: CheckedEndpoint;
  /** The addresses that show the finding; empty if a connection by name shows it too. */
  addresses: readonly string[];
  /** The version that the server needs, for example TLSv1.1, if the finding is `legacy_tls`; else null. */
  tlsVersion: string | null;
  /** The signature type, if only a handshake for that type shows the finding; else null. */
  keyType: KeyType | null;
  /** Whether the path ends at a private authority, which no client knows: clients that verify need `OWN_ROOT_FILE`. */
  hasOwnRoot?: boolean;
}

/** Placeholder in a command for the file with the root of a private authority. */
export const OWN_ROOT_FILE = 'your-ca.pem';

const MAX_ADDRESSES = 6;
/** Options of `openssl s_client` that offer signatures of one key type only. ML-DSA needs OpenSSL 3.5. */
const SIGNATURES: Record<KeyType, string> = {
  rsa: '-tls1_2 -sigalgs RSA-PSS+SHA256:RSA+SHA256:RSA-PSS+SHA384:RSA+SHA384',
  ecdsa: '-tls1_2 -sigalgs ECDSA+SHA256:ECDSA+SHA384:ECDSA+SHA512',
  'rsa-pss': '-sigalgs rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512',
  ed25519: '-sigalgs ed25519',
  ed448: '-sigalgs ed448',
  'ml-dsa-44': '-sigalgs mldsa44',
  'ml-dsa-65': '-sigalgs mldsa65',
  'ml-dsa-87': '-sigalgs mldsa87',
};

/** Returns a command for a POSIX shell that shows a finding, with `curl` or `openssl`; null if neither can show it. */
export type Command = (target: Reproduction) => string | null;

/** Returns a command that runs `openssl s_client` with these options. `verifying`: adds the root of a private authority. */
export const connectWith =
  (options: string, { verifying = false } = {}): Command =>
  (target) =>
    `${connect(target, target.addresses[0] ?? null)}${verifying ? ownRoot(target, '-CAfile') : ''} ${options} </dev/null`;

/** Shows the certificates that the server sends. */
export const showCertificates = connectWith('-showcerts');

/** Returns a command that shows details of the leaf. `alpn`: protocols to offer by ALPN instead of those that the check offers. */
export const inspect =
  (details: string, alpn?: readonly string[]): Command =>
  (target) =>
    `${connect({ ...target, alpn }, target.addresses[0] ?? null)} </dev/null 2>/dev/null | openssl x509 ${details}`;

/** Verifies the certificate: with curl for https, with openssl for other protocols. */
export const verify: Command = (target) => {
  const { endpoint, addresses, keyType } = target;
  if (keyType !== null) return showCertificates(target);
  return endpoint.protocol === 'https' && isCurlable(endpoint)
    ? curl(target, addresses[0] ?? null)
    : connectWith('-verify_return_error', { verifying: true })(target);
};

/** Handshakes with the outdated version that the server needs. */
export const connectWithLegacyTls: Command = (target) =>
  connectWith(`${versionFlag(target.tlsVersion)} -cipher 'DEFAULT:@SECLEVEL=0'`)(target);

/** Shows which certificate each address serves. */
export const compareAddresses: Command = (target) =>
  target.addresses.length > 1 ? eachAddress(target) : inspect(IDENTITY)(target);

/**
 * Returns a command for a POSIX shell that shows why nothing was reached: `dig`, `nc`, `curl` or `openssl`, by the stage of
 * the failure.
 */
export function failureCommand(endpoint: Reproduction['endpoint'], { stage }: { stage: ReachStage }): string {
  const { protocol } = endpoint;
  const { connectTo, family } = effectiveTarget(endpoint);
  const { host, port } = connectTo;
  if (!isIpText(host) && (stage === 'dns' || stage === 'policy'))
    return [
      ...srvServices(endpoint).map(({ name }) => `dig ${shellQuoted(name)} SRV`),
      lookUpCommand(host),
    ].join('; ');
  if (stage === 'starttls' || stage === 'handshake' || stage === 'examination')
    return `${connect({ endpoint, keyType: null }, null)} -showcerts </dev/null`;
  if (protocol === 'https')
    return `curl -sSI --connect-timeout 10${elsewhere(endpoint, null)} ${shellQuoted(pageUrl(endpoint))}`;
  return `nc ${family === null ? '' : `-${family} `}-vz -w 10 ${shellQuoted(host)} ${port}`;
}

/** Returns a command that shows the addresses of a name in the reader's own DNS. */
export function lookUpCommand(host: string): string {
  return ['A', 'AAAA'].map((type) => `dig ${shellQuoted(host)} ${type}`).join('; ');
}

/** Returns a command that shows the HTTP response of a host, whether or not its certificate is valid. */
export function responseCommand(endpoint: Reproduction['endpoint']): string {
  if (isCurlable(endpoint))
    return `curl -ksSI --max-time 20${elsewhere(endpoint, null)} ${shellQuoted(pageUrl(endpoint))}`;
  const { host, port } = endpoint;
  const name = `${bracketed(host)}${port === 443 ? '' : `:${port}`}`;
  return `printf 'HEAD / HTTP/1.1\\r\\nHost: ${name}\\r\\nConnection: close\\r\\n\\r\\n' | ${connect({ endpoint, keyType: null, alpn: ['http/1.1'] }, null)} -quiet`;
}

/** Returns whether curl can do what the check does. curl verifies the name that it sends, and always sends the host of the URL. */
function isCurlable(endpoint: CheckedEndpoint): boolean {
  const { serverName, verifyName } = effectiveTarget(endpoint);
  return serverName === endpoint.host && verifyName === endpoint.host;
}

const IDENTITY = '-noout -serial -enddate -fingerprint -sha256';

function eachAddress(target: Reproduction): string {
  const shown = target.addresses.slice(0, MAX_ADDRESSES).map((address) => shellQuoted(bracketed(address)));
  const { port } = effectiveTarget(target.endpoint).connectTo;
  return `for ip in ${shown.join(' ')}; do echo "$ip"; ${openssl(target, `"$ip:${port}"`)} </dev/null 2>/dev/null | openssl x509 ${IDENTITY}; done`;
}

function ownRoot({ hasOwnRoot = false }: Pick<Reproduction, 'hasOwnRoot'>, option: string): string {
  return hasOwnRoot ? ` ${option} ${OWN_ROOT_FILE}` : '';
}

function curl(target: Reproduction, at: string | null): string {
  return `curl -sSI${ownRoot(target, '--cacert')}${elsewhere(target.endpoint, at)} ${shellQuoted(pageUrl(target.endpoint))}`;
}

/**
 * Returns the options with which curl connects to an address of the host (`at`), or to the `connect_to` of its target; else an empty text.
 */
function elsewhere(endpoint: CheckedEndpoint, at: string | null): string {
  const { host, port } = endpoint;
  const { connectTo, family } = effectiveTarget(endpoint);
  const isElsewhere = connectTo.host !== host || connectTo.port !== port;
  const to = [bracketed(host), port, bracketed(at ?? connectTo.host), connectTo.port].join(':');
  if (isElsewhere) return ` --connect-to ${shellQuoted(to)}${at === null ? familyOption(family) : ''}`;
  // If the host is an address, curl connects to it anyway.
  if (at === null || at === host) return familyOption(family);
  return ` --resolve ${shellQuoted(`${host}:${port}:${bracketed(at)}`)}`;
}

const familyOption = (family: 4 | 6 | null): string => (family === null ? '' : ` -${family}`);

function pageUrl({ host, port }: Reproduction['endpoint']): string {
  return `https://${bracketed(host)}${port === 443 ? '' : `:${port}`}/`;
}

interface Target extends Pick<Reproduction, 'endpoint' | 'keyType'> {
  /** Protocols to offer by ALPN instead of those that the check offers. */
  alpn?: readonly string[] | undefined;
}

function connect(target: Target, at: string | null): string {
  const { connectTo, family } = effectiveTarget(target.endpoint);
  const where = shellQuoted(`${bracketed(at ?? connectTo.host)}:${connectTo.port}`);
  return openssl(target, `${where}${at === null ? familyOption(family) : ''}`);
}

function openssl({ endpoint, keyType, alpn }: Target, where: string): string {
  const { protocol } = endpoint;
  const { startTls, srv } = factsOf(protocol);
  const { serverName, verifyName } = effectiveTarget(endpoint);
  const offered = alpn ?? offeredAlpn(endpoint);
  return [
    `openssl s_client -connect ${where}`,
    // An IP address must not be sent as a server name (RFC 6066 §3).
    serverName === null || isIpText(serverName) ? '-noservername' : `-servername ${shellQuoted(serverName)}`,
    ...(offered.length === 0 ? [] : [`-alpn ${shellQuoted(offered.join(','))}`]),
    ...(startTls === undefined ? [] : [`-starttls ${protocol}`]),
    ...(srv === undefined ? [] : [`-xmpphost ${shellQuoted(verifyName)}`]),
    ...(keyType === null ? [] : [SIGNATURES[keyType]]),
  ].join(' ');
}

function versionFlag(version: string | null): string {
  switch (version) {
    case 'TLSv1':
      return '-tls1';
    case 'TLSv1.1':
      return '-tls1_1';
    default:
      return '-tls1_2';
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns any text quoted as one argument of a POSIX shell command. */
export function shellQuoted(text: string): string {
  return /^[\w.,:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
