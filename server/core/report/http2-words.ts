import { type Client, CLIENT_NAMES } from '../../../contract/check-words.ts';
import type { Http2Fault } from '../observation.ts';
import type { Words } from './leaf-words.ts';

/** What completes “Chrome cannot use the server’s HTTP/2: …”. */
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
  odd_settings: 'its settings are not allowed for a server',
};

const LIST = new Intl.ListFormat('en-GB');

/** Returns the words of a finding about HTTP/2. `clients`: those that fail. */
export function http2Words(fault: Http2Fault, clients: readonly Client[]): Words {
  // nghttp2, the library of curl, is the strictest.
  const names = clients.length === 0 ? ['curl'] : clients.map((client) => CLIENT_NAMES[client]);
  return { message: `${LIST.format(names)} cannot use the server’s HTTP/2: ${FAULTS[fault]}.`, evidence: [] };
}
