import { expect, it } from 'vitest';
import type { Client } from '../../contract/check-words.ts';
import type { Http2Fault } from '../../server/core/observation.ts';
import { serve, verdictAt } from '../clients/compare.ts';
import { HTTP2_SCENARIOS } from '../clients/http2-scenarios.ts';
import { HOST, mintRoots } from '../clients/scenario.ts';

const roots = mintRoots();

const ALL: readonly Client[] = ['chromium', 'firefox', 'apple', 'go', 'java'];

/** Faults of HTTP/2, the scenario that shows each, and the clients that fail. `npm run test:clients` asks the clients themselves. */
const SHOWN: readonly [fault: Http2Fault, scenario: string, clients: readonly Client[]][] = [
  ['no_answer', 'the connection is closed at once', ALL],
  ['no_answer', 'the connection is reset', ALL],
  ['no_answer', 'the connection is closed after the settings', ALL],
  ['no_answer', 'GOAWAY with a protocol error', ALL],
  ['no_answer', 'GOAWAY without an error', ALL],
  ['no_answer', 'every request is reset', ALL],
  ['no_answer', 'every request is refused', ALL],
  ['garbage', 'garbage', ALL],
  ['garbage', 'an answer by HTTP/1.1', ALL],
  ['garbage', 'an error by HTTP/1.1', ALL],
  ['malformed_settings', 'settings of 5 bytes', ALL],
  ['malformed_settings', 'settings on a stream', ALL],
  ['malformed_frame', 'an acknowledgement with a payload', ALL],
  ['malformed_frame', 'a body in a frame of 16 MB', ALL],
  ['large_frame', 'settings of 17,004 bytes', ['chromium', 'firefox', 'java']],
  ['large_frame', 'settings of 17,004 bytes after others', ['chromium', 'firefox', 'java']],
  ['no_settings', 'zeros', ['chromium', 'go', 'java']],
  ['malformed_frame', 'a PING on a stream', ALL],
  ['malformed_frame', 'GOAWAY on a stream', ALL],
  ['malformed_frame', 'PRIORITY of 4 bytes', ALL],
  ['malformed_frame', 'RST_STREAM of 3 bytes', ALL],
  ['malformed_frame', 'a window update of 0 on the stream', ALL],
  ['malformed_frame', 'headers on stream 0', ALL],
  ['malformed_frame', 'a body on stream 0', ALL],
  ['malformed_frame', 'headers without a status', ALL],
  ['malformed_frame', 'padding beyond the end of a frame', ALL],
  ['malformed_frame', 'an answer on another stream', ALL],
  ['malformed_frame', 'a PUSH_PROMISE', ALL],
  ['malformed_frame', 'a window update beyond the limit', ALL],
  ['forbidden_frame', 'a body before its headers', ['chromium', 'firefox', 'go']],
  ['forbidden_frame', 'a window update of 0', ['chromium', 'firefox', 'go']],
  ['switched_protocols', 'status 101', ['go', 'java']],
  ['http1_required', 'every request is to be sent by HTTP/1.1', ['go', 'java']],
  ['http1_required', 'GOAWAY that demands HTTP/1.1', ['go', 'java']],
  ['late_settings', 'no settings', ['go']],
  ['late_settings', 'settings after the answer', ['go']],
  ['late_settings', 'a window update before the settings', ['go']],
  ['invalid_window', 'an initial window beyond the limit', ['go']],
  ['invalid_frame_size', 'a maximum frame size of 100', ['firefox']],
  ['invalid_frame_size', 'a maximum frame size of 2^24', ['firefox']],
  ['malformed_frame', 'a status after another field', ALL],
  ['malformed_frame', 'an unknown pseudo-header field after others', ALL],
  ['second_status', 'a second status', ['chromium', 'go']],
  ['second_status', 'another status after the first', ['chromium', 'go']],
  ['request_field', 'a pseudo-header field of requests', ['firefox', 'go']],
  ['unknown_pseudo_field', 'an unknown pseudo-header field', ['firefox', 'go', 'java']],
  ['transfer_encoding', 'the field transfer-encoding', ['chromium']],
  ['transfer_encoding', 'the field transfer-encoding, its name in full', ['chromium']],
  ['several_lengths', 'two fields content-length', ['firefox']],
  ['invalid_length', 'the field content-length without a number', ['java']],
  ['connection_field', 'the field connection', []],
  ['connection_field', 'the field upgrade', []],
  ['odd_settings', '33 settings', []],
  ['odd_settings', 'push enabled by the server', []],
  ['odd_settings', 'push set to 2', []],
  ['odd_settings', 'acknowledged settings first', []],
];

async function findingsAt(name: string) {
  const scenario = HTTP2_SCENARIOS.find((one) => one.name === `HTTP/2: ${name}`);
  const peer = scenario && (await serve(scenario, roots));
  if (!peer) throw new Error(`no server: ${name}`);
  try {
    return (await verdictAt(scenario?.host ?? HOST, peer.port, roots)).findings;
  } finally {
    await peer.stop();
  }
}

it.each(SHOWN)(
  'The fault %s of the server with “%s” names the clients that fail',
  async (fault, scenario, clients) => {
    const isCritical = clients.some((client) => client === 'chromium' || client === 'firefox');
    expect(await findingsAt(scenario)).toMatchObject([
      {
        code: 'http2_fault',
        severity: isCritical ? 'critical' : 'warning',
        facts: { fault },
        addresses: ['127.0.0.1'],
        clients,
      },
    ]);
  },
);

it.each([
  'nothing odd',
  'nothing odd, TLS 1.2',
  'nothing odd, HTTP/2 alone',
  'no streams allowed',
  'an initial window of 0',
  'a header list of at most 10 bytes',
  'unknown settings',
  '32 settings',
  'fields of all kinds',
  'the field te',
  '100 PINGs',
  '300 PINGs',
  'a body in a frame of 16,384 bytes',
  'frames of an unknown type',
])('A server with “%s” has no HTTP/2 fault', async (scenario) => {
  expect(await findingsAt(scenario)).toEqual([]);
});
