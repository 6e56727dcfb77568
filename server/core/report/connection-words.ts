import { type Client, CLIENT_NAMES } from '../../../contract/check-words.ts';
import type { LeafFacts } from '../finding.ts';
import type { HelloPart, HelloReaction, Http2Fault } from '../observation.ts';
import { listed } from '../one-line.ts';
import type { Words } from './leaf-words.ts';

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

/** Returns the names of clients: "Go and GnuTLS". */
export function clientNames(clients: readonly Client[]): string {
  // A newer version may have stored a client that this one does not know.
  return listed(clients.map((client) => CLIENT_NAMES[client] ?? client));
}

/** Returns the words of a finding about HTTP/2. `clients`: the clients that fail. */
export function http2Words(fault: Http2Fault, clients: readonly Client[]): Words {
  // A fault without clients is refused only by nghttp2, the library of curl.
  const names = clients.length === 0 ? 'curl' : clientNames(clients);
  return { message: `${names} cannot use the server’s HTTP/2: ${FAULTS[fault]}.`, evidence: [] };
}

type HelloEvidence = NonNullable<Extract<LeafFacts, { kind: 'refused_by_clients' }>['evidence']>;

/** Returns the evidence of a finding about a ClientHello that the server does not accept. */
export function helloEvidence({ reaction, parts }: HelloEvidence): Words['evidence'] {
  const known = parts.flatMap((part) => PARTS[part] ?? []);
  return [
    { label: 'Reaction', value: REACTIONS[reaction] },
    ...(known.length === 0 ? [] : [{ label: 'Not accepted', value: listed(known) }]),
  ];
}

/** Names of the parts that can share a finding. */
const PARTS: Readonly<Partial<Record<string, string>>> = {
  grease_ciphers: 'reserved cipher suites',
  grease_extensions: 'reserved extensions',
  grease_groups: 'reserved groups',
  grease_versions: 'reserved TLS versions',
  grease_signatures: 'reserved signature algorithms',
  ech: 'encrypted_client_hello',
  compression: 'compress_certificate',
  alps: 'application_settings',
  trust_anchors: 'trust_anchors',
  timestamps: 'signed_certificate_timestamp',
  delegated_credentials: 'delegated_credential',
  record_size_limit: 'record_size_limit',
} satisfies Partial<Record<HelloPart, string>>;

const REACTIONS: Record<HelloReaction, string> = {
  silent: 'no answer in time',
  reset: 'the server resets the connection',
  closed: 'the server closes the connection',
  alert: 'the server answers with an alert',
  not_tls: 'the answer is not TLS',
};
