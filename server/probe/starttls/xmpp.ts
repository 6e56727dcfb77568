import { domainToUnicode } from 'node:url';

import { startTlsRefused, wrongProtocol } from './plaintext-session.ts';
import type { Dialogue, Parser, Peer, PlaintextSession } from './plaintext-session.ts';

const SERVER_PORT = 5269;
const MAX_TAG_BYTES = 4 * 1024;
const START_TLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";

/**
 * Negotiates TLS with STARTTLS in XMPP (RFC 6120 §5.4). Acts as a client, or as another server on the server-to-server
 * port. Rejects with StartTlsError on failure.
 */
async function startTls(session: PlaintextSession, { host, port }: Peer): Promise<void> {
  const kind = port === SERVER_PORT ? 'server' : 'client';
  session.send(
    `<?xml version='1.0'?><stream:stream xmlns='jabber:${kind}' ` +
      `xmlns:stream='http://etherx.jabber.org/streams' to='${domainPart(host)}' version='1.0'>`,
  );
  let offered = false;
  for (let seen = await openStream(session); !isEndOfFeatures(seen); seen = await session.take(tag)) {
    if (seen.name === 'error' || seen.name === '/stream')
      throw startTlsRefused('The server ended the XMPP stream before STARTTLS.');
    if (seen.name === 'starttls') offered = true;
  }
  if (!offered) throw startTlsRefused('The server does not offer STARTTLS.');
  session.send(START_TLS);
  const answer = await session.take(tag);
  if (answer.name !== 'proceed') throw startTlsRefused('The server refused STARTTLS.');
  if (!answer.isWhole && (await session.take(tag)).name !== '/proceed')
    throw wrongProtocol('The server sent a tag that is not an XMPP response.');
}

export const xmpp: Dialogue = { startTls };

const isEndOfFeatures = ({ name, isWhole }: Tag): boolean =>
  name === '/features' || (name === 'features' && isWhole);

/**
 * Reads the stream header and returns the first tag inside the stream. Rejects with StartTlsError on failure.
 */
async function openStream(session: PlaintextSession): Promise<Tag> {
  let { name } = await session.take(firstTag);
  if (name === '?xml') ({ name } = await session.take(tag));
  if (name !== 'stream') throw wrongProtocol('The server did not open an XMPP stream.');
  return session.take(tag);
}

/**
 * Converts a host to U-labels (RFC 7622 §3.2). Removes characters that would need escaping; host names contain none.
 */
function domainPart(host: string): string {
  return (domainToUnicode(host) || host).replaceAll(/[^\p{L}\p{M}\p{N}.:-]/gu, '');
}

interface Tag {
  /** Name without namespace prefix. The name of an end tag begins with a slash. */
  name: string;
  /** True if the tag is self-closing (`<name/>`), so that no end tag follows. */
  isWhole: boolean;
}

const firstTag: Parser<Tag> = (seen) => {
  if (!/^\s*(?:<|$)/.test(seen.toString('latin1', 0, MAX_TAG_BYTES)))
    throw wrongProtocol('The server did not open an XMPP stream.');
  return tag(seen);
};

/**
 * Parses the next tag and skips the text before it. A quoted attribute value may contain `>`. Throws StartTlsError if
 * there is no tag within `MAX_TAG_BYTES`.
 */
const tag: Parser<Tag> = (seen) => {
  const text = seen.toString('latin1', 0, MAX_TAG_BYTES);
  const found = /^[^<>]*<((?:[^<>"']|"[^<"]*"|'[^<']*')*)>/.exec(text);
  if (found === null) {
    if (seen.length >= MAX_TAG_BYTES)
      throw wrongProtocol(`The server sent no complete tag in the first ${MAX_TAG_BYTES} bytes.`);
    return null;
  }
  const inside = found[1] ?? '';
  const [, slash = '', name = ''] = /^(\/?)(?:[^\s/:]+:)?([^\s/:]+)/.exec(inside) ?? [];
  return { value: { name: slash + name, isWhole: inside.endsWith('/') }, length: found[0].length };
};
