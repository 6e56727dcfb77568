import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { AddressPolicy } from '../../egress/address-policy.ts';
import type { ExchangeFailure, SecureSocket } from '../../egress/exchange-request.ts';
import { exchange } from '../../egress/exchange.ts';
import type { Resolver } from '../../egress/resolver.ts';
import { currentUntil, MAX_LIST_BYTES, parseLogList } from '../../pki/ct/log-list.ts';
import { condition, type Validators, validatorsIn } from './charged-request.ts';

/**
 * Google's key for the signatures of its lists of logs: RSA with 4096 bits, PKCS #1 v1.5 and SHA-256 over the bytes of the list. Published
 * at www.gstatic.com/ct/log_list/v3/log_list_pubkey.pem; decision 68 says which copies of it we compared.
 */
export const GOOGLE_LIST_KEY: KeyObject = createPublicKey({
  key: Buffer.from(
    'MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEAsu0BHGnQ++W2CTdyZyxvHHRALOZPlnu/VMVgo2m+JZ8MNbAOH2cgXb8mvOj8flsX' +
      '/qPMuKIaauO+PwROMjiqfUpcFm80Kl7i97ZQyBDYKm3MkEYYpGN+skAR2OebX9G2DfDqFY8+jUpOOWtBNr3LrmVcwx+FcFdMjGDlrZ5JRmoJ' +
      '/SeGKiORkbbu9eY1Wd0uVhz/xI5bQb0OgII7hEj+i/IPbJqOHgB8xQ5zWAJJ0DmG+FM6o7gk403v6W3S8qRYiR84c50KppGwe4YqSMkFbLDl' +
      'eGQWLoaDSpEWtESisb4JiLaY4H+Kk0EyAhPSb+49JfUozYl+lf7iFN3qRq/SIXXTh6z0S7Qa8EYDhKGCrpI03/+qprwy+my6fpWHi6aUIk4h' +
      'olUCmWvFxZDfixoxK0RlqbFDl2JXMBquwlQpm8u5wrsic1ksIv9z8x9zh4PJqNpCah0ciemI3YGRQqSe/mRRXBiSn9YQBUPcaeqCYan+snGA' +
      'DFwHuXCd9xIAdFBolw9R9HTedHGUfVXPJDiF4VusfX6BRR/qaadB+bqEArF/TzuDUr6FvOR4o8lUUxgLuZ/7HO+bHnaPFKYHHSm++z1lVDhh' +
      'YuSZ8ax3T0C3FZpb7HMjZtpEorSV5ElKJEJwrhrBCMOD8L01EoSPrGlS1w22i9uGHMn/uGQKo28u7AsCAwEAAQ==',
    'base64',
  ),
  format: 'der',
  type: 'spki',
});

/** Size limit of a signature. Google's have 512 bytes. */
const MAX_SIGNATURE_BYTES = 1_024;
/** Time limit of each request, name resolution included. */
const DEADLINE_MS = 15_000;

export interface LogListSourceOptions {
  resolver: Resolver;
  policy: AddressPolicy;
  /** Performs the TLS handshake. Default: verifies against the public roots. */
  secure?: SecureSocket;
  /** Key that signs Google's list. Default: Google's. */
  googleKey?: KeyObject;
  /** Time limit of each request in ms. Default: 15,000. */
  deadlineMs?: number;
}

export interface LogListRequest {
  list: 'google' | 'apple';
  url: URL;
  /** Validators of the kept list, which make the request conditional unless that list is too old; null if none is kept. */
  kept: Validators | null;
  /** Time of the kept list, ms UTC. An older list is refused: somebody may send an old one again. Null if none is kept. */
  keptAsOf: number | null;
  now: number;
}

/** `problem`: one sentence that says why there is no usable list. */
export type FetchedLogList =
  | ({ kind: 'new'; body: Uint8Array } & Validators)
  | { kind: 'unchanged' }
  | { kind: 'failed'; problem: string };

export type FetchLogList = (request: LogListRequest, signal: AbortSignal) => Promise<FetchedLogList>;

/**
 * Returns a function that fetches a list of Certificate Transparency logs, which it returns only if it can be read. Google's list must also
 * have Google's signature, from the same address with `.sig` instead of `.json`. Follows no redirects. Never rejects because of a peer.
 */
export function createLogListSource({
  resolver,
  policy,
  secure,
  googleKey = GOOGLE_LIST_KEY,
  deadlineMs = DEADLINE_MS,
}: LogListSourceOptions): FetchLogList {
  const get = (url: URL, headers: Record<string, string>, maxBytes: number, signal: AbortSignal) =>
    exchange({
      url,
      headers,
      maxBytes,
      signal,
      resolver,
      policy,
      deadlineMs,
      ...(secure && { secure }),
      ports: [Number(url.port || (url.protocol === 'https:' ? 443 : 80))],
    });

  return async ({ list, url, kept, keptAsOf, now }, signal) => {
    // The server may say for ever that a list is unchanged, so ask for the whole list when the kept one is too old.
    const validators = keptAsOf !== null && now < currentUntil({ asOf: keptAsOf }) ? kept : null;
    const headers = { accept: 'application/json', ...condition(validators) };
    const answer = await get(url, headers, MAX_LIST_BYTES, signal);
    if (!answer.ok) return failed(`The server ${FAILURES[answer.reason]}.`);
    if (answer.status === 304 && validators !== null) return { kind: 'unchanged' };
    if (answer.status !== 200) return failed(`The server answered with the status ${answer.status}.`);
    const { body } = answer;
    if (list === 'google') {
      const signature = await get(signatureAddress(url), {}, MAX_SIGNATURE_BYTES, signal);
      if (!signature.ok) return failed(`The signature is missing: the server ${FAILURES[signature.reason]}.`);
      if (signature.status !== 200)
        return failed(`The signature is missing: the server answered with the status ${signature.status}.`);
      if (!verify('sha256', body, googleKey, signature.body)) return failed('The signature is not Google’s.');
    }
    const parsed = parseLogList(body, now);
    if ('problem' in parsed) return failed(parsed.problem);
    if (keptAsOf !== null && parsed.asOf < keptAsOf)
      return failed('The list is older than the one that we have.');
    if (now >= currentUntil(parsed)) return failed('The list is older than 70 days.');
    return { kind: 'new', body, ...validatorsIn(answer.headers) };
  };
}

/** Returns where the signature of a list is: `…/log_list.sig` for `…/log_list.json`, and `….sig` for any other address. */
export function signatureAddress(list: URL): URL {
  const url = new URL(list);
  url.pathname = `${url.pathname.replace(/\.json$/, '')}.sig`;
  return url;
}

const failed = (problem: string): FetchedLogList => ({ kind: 'failed', problem });

/** Each completes "The server …". */
const FAILURES: Record<ExchangeFailure, string> = {
  not_allowed: 'has an address that is not public, and that EGRESS_ALLOW_CIDRS does not open',
  unreachable: 'was not reached, or ended the connection before the end of its answer',
  timeout: 'did not answer in time',
  insecure: 'has a certificate that is not trusted',
  malformed: 'did not answer with HTTP',
  too_large: 'sent more bytes than the limit',
};
