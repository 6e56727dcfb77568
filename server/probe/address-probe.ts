import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { AddressObservation, HandshakeObservation } from '../core/observation.ts';
import { isAlpnOptional, offeredAlpn, serviceOf } from '../core/protocol.ts';
import type { DomainServer } from '../core/srv.ts';
import { type CheckedEndpoint, effectiveTarget } from '../core/target.ts';
import type { Protocol } from '../../contract/protocols.ts';
import {
  closeConnection,
  type ConnectOptions,
  type ConnectResult,
  handshake,
  isRareGroup,
  leafKeyType,
} from './handshake.ts';
import { browserContext, legacyContext, mlDsaContext, modernContext } from './tls-contexts.ts';
import { openConnection } from '../egress/open-connection.ts';
import { usualHello } from './hello/hello-shapes.ts';
import { dialogueOf, negotiateTls, sayGoodbye } from './starttls/negotiate-tls.ts';
import { handshakeTls13, Inbox } from './tls13/tls13-handshake.ts';
import type { Tls13Stream } from './tls13/tls13-stream.ts';
import { Surprise } from './tls13/wire.ts';
import { explainMode, type ModeOptions, probeTlsScheme } from './wrong-mode.ts';

/**
 * A connection that completed its handshake. `reconnect` opens another connection with the same TLS settings, except for the given changes.
 */
export interface OpenConnection {
  address: string;
  tls: TLSSocket | Tls13Stream;
  /** Null for our own TLS client: if its connection does not suffice, OpenSSL repeats the whole check instead. */
  reconnect: ((changes?: Pick<ConnectOptions, 'alpn'>) => Promise<ConnectResult>) | null;
}

export interface AddressProbeOptions extends ModeOptions {
  /**
   * A server that has sent nothing for this time (ms) is also tried with direct TLS. Default: it is tried only after its dialogue has
   * failed.
   */
  silentMs?: number;
  /** The server of the domain that the address belongs to, if an SRV record named it. */
  server?: DomainServer;
  /**
   * Offers the open connection to the caller. Returns true if the caller takes it and will close it. If false, `probeAddress` closes it.
   */
  takeOver: (open: OpenConnection) => boolean;
  /** Called with the chain (DER as sent) as soon as the handshake is complete. */
  onChain: (presentedChain: readonly Uint8Array[]) => void;
}

/** Probes one address of an endpoint with the TLS settings of current clients. Tries other settings if the server does not accept these. */
export async function probeAddress(options: AddressProbeOptions): Promise<AddressObservation> {
  const { address, takeOver, onChain, silentMs, dialogue } = options;
  const startedAt = performance.now();
  let scheme: Promise<string | null> | undefined;
  const findTlsScheme = (): Promise<string | null> => (scheme ??= probeTlsScheme(options, connectTls));
  const speaksTls = async (): Promise<boolean> => (await findTlsScheme()) !== null;
  const silence = silentMs === undefined ? undefined : { afterMs: silentMs, speaksTls };
  const { result, context } = await connectAsNeeded({ ...options, dialogue: { ...dialogue, silence } });

  const seen = placeAndTime(options, startedAt);
  if (!result.ok)
    return { ...seen, outcome: 'failed', ...(await explainMode(result, options, findTlsScheme)) };
  const { evidence, tls, close } = result;
  onChain(evidence.presentedChain);
  const legacyTls =
    context === legacyContext && !(evidence.tlsVersion === 'TLSv1.3' && isRareGroup(evidence.group));
  const rareSignature = context === modernContext && options.endpoint.protocol === 'https';
  const reconnect: OpenConnection['reconnect'] = (changes) => connectTls({ ...options, ...changes }, context);
  if (tls === null || !takeOver({ address, tls, reconnect })) await close();
  return { ...seen, outcome: 'handshake', ...evidence, legacyTls, ...(rareSignature && { rareSignature }) };
}

/**
 * Returns whether our own TLS client can probe an endpoint: its protocol starts with TLS and needs no goodbye before the connection closes.
 */
export function suitsOwnClient(endpoint: CheckedEndpoint): boolean {
  return endpoint.protocol === 'https' || dialogueOf(serviceOf(endpoint)) === undefined;
}

/**
 * Probes one address with our own TLS client, as `probeAddress` does with OpenSSL. Returns a failure if this machine has no route to the
 * address. @throws Surprise if anything else about the connection or the handshake is unusual
 */
export async function probeWithOwnClient(options: AddressProbeOptions): Promise<AddressObservation> {
  const { address, endpoint, signal, takeOver, onChain, handshakeTimeoutMs, onFailure } = options;
  const startedAt = performance.now();
  const inbox = new Inbox();
  const connection = await connectTcp(options, (bytes) => inbox.receive(bytes));
  if (!connection.ok) {
    const { failure } = connection;
    if (failure.reason !== 'no_route_here') throw new Surprise('closed', 'no connection');
    return { ...placeAndTime(options, startedAt), outcome: 'failed', ...failure };
  }
  const { socket } = connection;
  const { evidence, open, end } = await handshakeTls13({
    socket,
    inbox,
    shape: usualHello(endpoint.protocol === 'https'),
    serverName: effectiveTarget(endpoint).serverName,
    alpn: offeredAlpn(endpoint),
    timeoutMs: handshakeTimeoutMs,
    signal,
  }).catch((error: unknown) => {
    onFailure?.(address);
    throw error;
  });
  const seen = placeAndTime(options, startedAt);
  onChain(evidence.presentedChain);
  if (endpoint.protocol === 'https') {
    const tls = open();
    if (!takeOver({ address, tls, reconnect: null })) await closeConnection(tls, signal);
  } else {
    end();
    await closeConnection(socket, signal);
  }
  return { ...seen, outcome: 'handshake', ...evidence, legacyTls: false };
}

/** Returns the fields that the observation of an address has whatever its outcome. `startedAt`: from `performance.now`. */
function placeAndTime(
  { address, server }: AddressProbeOptions,
  startedAt: number,
): Pick<HandshakeObservation, 'address' | 'family' | 'server' | 'durationMs'> {
  return {
    address,
    family: address.includes(':') ? 6 : 4,
    ...(server && { server }),
    durationMs: Math.round(performance.now() - startedAt),
  };
}

/**
 * Connects with the TLS settings of current clients, to web servers with those of browsers. If that fails, tries more signatures, then legacy
 * settings, then ML-DSA if the certificate has such a key. If all fail, returns the first failure, because current clients get the same.
 */
async function connectAsNeeded(
  options: ConnectOptions,
): Promise<{ result: ConnectResult; context: SecureContext }> {
  const isWeb = options.endpoint.protocol === 'https';
  const usual = isWeb ? browserContext : modernContext;
  const first = { result: await connectTls(options, usual), context: usual };
  if (first.result.ok) return first;
  if (first.result.failure.tlsAlert === NO_APPLICATION_PROTOCOL && isAlpnOptional(options.endpoint)) {
    const result = await connectTls({ ...options, alpn: [] }, modernContext);
    return result.ok ? { ...first, result } : first;
  }
  if (!first.result.wantsLegacy) return first;
  // A server that knows only older TLS versions would refuse other signatures too.
  if (isWeb && first.result.failure.reason !== 'protocol_version') {
    const result = await connectTls(options, modernContext);
    if (result.ok) return { result, context: modernContext };
  }
  const second = await connectTls(options, legacyContext);
  if (!second.ok) return first;
  const context = mlDsaContext();
  if (!isMlDsa(second.evidence) || context === null) return { result: second, context: legacyContext };
  await second.close();
  const third = await connectTls(options, context);
  if (third.ok) return { result: third, context };
  return { result: await connectTls(options, legacyContext), context: legacyContext };
}

/** Returns the TLS settings with which `probeAddress` most likely completed a handshake. */
export function contextOf(seen: HandshakeObservation, protocol: Protocol): SecureContext {
  if (seen.legacyTls || isRareGroup(seen.group)) return legacyContext;
  if (isMlDsa(seen)) return mlDsaContext() ?? legacyContext;
  return protocol === 'https' && seen.rareSignature !== true ? browserContext : modernContext;
}

function isMlDsa({ presentedChain }: Pick<HandshakeObservation, 'presentedChain'>): boolean {
  return leafKeyType(presentedChain)?.startsWith('ml-dsa') === true;
}

/** Alert of a server that knows none of the names that we offer by ALPN (RFC 7301 §3.2). */
const NO_APPLICATION_PROTOCOL = 120;

/**
 * Maximum bytes received per connection. Far above the 100 kB of certificates that OpenSSL accepts, and above the part
 * of an HTTP response that we read.
 */
const MAX_BYTES = 512 * 1024;

const USUAL = { wantsLegacy: false, mayExpectTls: false };

/** Connects to one address, negotiates STARTTLS if the protocol needs it, and performs the TLS handshake. */
export async function connectTls(approach: ConnectOptions, context: SecureContext): Promise<ConnectResult> {
  const result = await attemptTls(approach, context);
  if (!result.ok && ['starttls', 'handshake'].includes(result.failure.stage))
    approach.onFailure?.(approach.address);
  return result;
}

type Tcp = { ok: true; socket: Socket } | Pick<Extract<ConnectResult, { ok: false }>, 'ok' | 'failure'>;

/** Opens the TCP connection. `onBytes`: as in `ConnectionOptions`. */
async function connectTcp(
  { address, endpoint, policy, signal, connectTimeoutMs }: ConnectOptions,
  onBytes?: (bytes: Buffer) => void,
): Promise<Tcp> {
  const connection = await openConnection({
    address,
    port: effectiveTarget(endpoint).connectTo.port,
    policy,
    signal,
    timeoutMs: connectTimeoutMs,
    maxBytes: MAX_BYTES,
    ...(onBytes && { onBytes }),
  });
  if (connection.ok) return connection;
  const { stage, reason, detail } = connection;
  return { ok: false, failure: { stage, reason, tlsAlert: null, detail } };
}

async function attemptTls(approach: ConnectOptions, context: SecureContext): Promise<ConnectResult> {
  const { endpoint, signal, handshakeTimeoutMs } = approach;
  const { serverName, verifyName } = effectiveTarget(endpoint);
  const connection = await connectTcp(approach);
  if (!connection.ok) return { ...connection, ...USUAL };
  const { socket } = connection;

  const negotiated = await negotiateTls(socket, endpoint.protocol, {
    domain: verifyName,
    ownNames: approach.ownNames,
    signal,
    ...approach.dialogue,
  });
  if (!negotiated.ok) {
    await closeConnection(socket, signal);
    const { reason, detail, refusal, mayExpectTls } = negotiated;
    const failure = { stage: 'starttls' as const, reason, tlsAlert: null, detail };
    return { ok: false, failure: { ...failure, ...(refusal && { refusal }) }, ...USUAL, mayExpectTls };
  }

  const result = await handshake({
    socket,
    context,
    alpn: approach.alpn ?? offeredAlpn(endpoint),
    host: serverName ?? '',
    timeoutMs: handshakeTimeoutMs,
    signal,
  });
  if (result.ok) {
    const { tls, evidence } = result;
    const { code, opening } = negotiated;
    const goodbye = tls === null ? undefined : () => sayGoodbye(tls, { endpoint, opening }, signal);
    return {
      ok: true,
      evidence: code === undefined ? evidence : { ...evidence, startTlsCode: code },
      tls,
      close: () => closeConnection(tls, signal, goodbye),
    };
  }
  const { wantsLegacy, ...failure } = result.failure;
  return { ok: false, failure: { stage: 'handshake', ...failure }, ...USUAL, wantsLegacy };
}
