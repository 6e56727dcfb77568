import { type Client, CLIENTS } from '../../../contract/check-words.ts';
import type { Protocol } from '../../../contract/protocols.ts';
import { clientNames, connectsTo } from '../judge/clients/client-rule.ts';
import type { Http2Fault } from '../observation.ts';
import { connectWithLegacyTls, responseCommand } from '../report/reproduce.ts';
import { boolean, code, number, object, optional, text } from '../shape.ts';
import { type Definition, kind } from './definition.ts';

/** Findings about TLS versions, HTTP/2 and STARTTLS. */
export const PROTOCOL_FINDINGS = {
  legacy_tls: {
    kinds: {
      legacy_tls: kind(
        object({ tlsVersion: text, evidence: object({ cipher: text }) }),
        ({ tlsVersion, evidence }) => ({
          message: `The server supports only outdated encryption (${tlsVersion}), which browsers refuse.`,
          evidence: [
            { label: 'TLS version', value: tlsVersion },
            { label: 'Cipher', value: evidence.cipher },
          ],
        }),
      ),
    },
    fix: 'Enable TLS 1.2 and 1.3 on the server, with their default ciphers.',
    command: connectWithLegacyTls,
    short: 'Only old TLS versions are offered',
  },
  /** The handshake agreed on HTTP/2, but the server breaks RFC 9113. */
  http2_fault: {
    kinds: {
      /** `isAnswered`: the request got an answer nevertheless. */
      http2_fault: kind(
        object({ fault: code<Http2Fault>(), isAnswered: optional(boolean) }),
        ({ fault }, { clients }) => ({
          // A fault without clients is refused only by nghttp2, the library of curl.
          message: `${clients.length === 0 ? 'curl' : clientNames(clients)} cannot use the server’s HTTP/2: ${FAULTS[fault]}.`,
          evidence: [],
        }),
      ),
    },
    fix: 'Correct HTTP/2 on the server, or on the proxy in front of it, or switch it off there.',
    command: ({ endpoint }) => responseCommand(endpoint),
    short: 'HTTP/2 is faulty',
  },
  /** An FTP server agreed to AUTH TLS with another reply code than the standard's 234. */
  start_tls_code: {
    kinds: {
      /** `code`: the reply to AUTH TLS. */
      start_tls_code: kind(object({ code: number }), (facts) => ({
        message: `The server answered AUTH TLS with the code ${facts.code} instead of 234, which RFC 4217 requires.`,
        evidence: [],
      })),
    },
    fix: 'Nothing to do if your clients connect. Otherwise update the FTP server: some clients accept no other code than 234.',
  },
} satisfies Readonly<Record<string, Definition>>;

/** The second half of “Chrome cannot use the server’s HTTP/2: …”. */
const FAULTS: Readonly<Record<Http2Fault, string>> = {
  no_answer: 'it agrees on HTTP/2, but answers only by HTTP/1.1',
  garbage: 'it agrees on HTTP/2, but what it sends is not HTTP/2',
  malformed_settings: 'its settings are malformed',
  malformed_frame: 'it sends a malformed frame',
  large_frame: 'it sends a frame of more than 16 kB',
  forbidden_frame: 'it sends a frame that is not allowed there',
  switched_protocols: 'it answers with the status 101, which HTTP/2 does not have',
  http1_required: 'it agrees on HTTP/2, and then demands HTTP/1.1',
  no_settings: 'it begins with another frame than its settings, and does not answer',
  late_settings: 'it does not begin with its settings',
  invalid_window: 'its settings have a flow control window above the limit',
  invalid_frame_size: 'its settings have a frame size outside the limits',
  second_status: 'its answer has a second status',
  request_field: 'its answer has a pseudo-header field that only requests may have',
  unknown_pseudo_field: 'its answer has a pseudo-header field that does not exist',
  transfer_encoding: 'its answer has the field Transfer-Encoding, which HTTP/2 forbids',
  several_lengths: 'its answer has several fields Content-Length with different values',
  invalid_length: 'its answer has a field Content-Length that is not a number',
  connection_field: 'its answer has a field about the connection, which HTTP/2 forbids',
  odd_settings: 'its settings are not allowed for a server',
};

/** Clients that fail because of each fault of HTTP/2 (measured). Safari was not measured: it is named where all others fail. */
export const CLIENTS_OF_HTTP2_FAULT: Record<Http2Fault, readonly Client[]> = {
  no_answer: ['chromium', 'firefox', 'apple', 'go', 'java'],
  garbage: ['chromium', 'firefox', 'apple', 'go', 'java'],
  malformed_settings: ['chromium', 'firefox', 'apple', 'go', 'java'],
  malformed_frame: ['chromium', 'firefox', 'apple', 'go', 'java'],
  large_frame: ['chromium', 'firefox', 'java'],
  forbidden_frame: ['chromium', 'firefox', 'go'],
  no_settings: ['chromium', 'go', 'java'],
  switched_protocols: ['go', 'java'],
  http1_required: ['go', 'java'],
  late_settings: ['go'],
  invalid_window: ['go'],
  invalid_frame_size: ['firefox'],
  second_status: ['chromium', 'go'],
  request_field: ['firefox', 'go'],
  unknown_pseudo_field: ['firefox', 'go', 'java'],
  transfer_encoding: ['chromium'],
  several_lengths: ['firefox'],
  invalid_length: ['java'],
  connection_field: [],
  odd_settings: [],
};

/** Returns who refuses a server that speaks only TLS 1.0 or 1.1, or only outdated ciphers and signatures of TLS 1.2 (measured). */
export function clientsRefusingOldTls({ tlsVersion }: { tlsVersion: string }, protocol: Protocol): Client[] {
  const refusing: readonly Client[] =
    tlsVersion === 'TLSv1.2' || tlsVersion === 'TLSv1.3'
      ? ['chromium', 'firefox', 'go', 'gnutls']
      : CLIENTS.filter((client) => client !== 'gnutls');
  return refusing.filter(connectsTo(protocol));
}
