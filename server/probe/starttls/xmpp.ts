import { domainToUnicode } from 'node:url';
import {
  type Dialogue,
  noStartTls,
  type Parser,
  type PlaintextSession,
  serverRefused,
  type SessionState,
  StartTlsError,
  wrongProtocol,
} from './plaintext-session.ts';

const MAX_TAG_BYTES = 4 * 1024;
const START_TLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>";

/** Dialogues of XMPP, as a client or as another server: the two differ in the content namespace (RFC 6120 §4.8.2). */
export const XMPP_PROTOCOLS = {
  xmpp: dialogueIn('jabber:client'),
  'xmpp-server': dialogueIn('jabber:server'),
} satisfies Record<string, Dialogue>;

function dialogueIn(namespace: string): Dialogue {
  return {
    answersLdap: (words) => isStream(words, namespace),
    startTls: (session, domain) => startTls(session, { domain, namespace }),
    goodbye: (session, domain, state) => goodbye(session, { domain, namespace }, state),
  };
}

const isStream = (words: string, namespace: string): boolean =>
  words.includes('<stream:stream ') && words.includes(namespace);

interface Stream {
  domain: string;
  namespace: string;
}

/** Negotiates TLS with STARTTLS in XMPP (RFC 6120 §5.4). Rejects with StartTlsError on failure. */
async function startTls(session: PlaintextSession, stream: Stream): Promise<void> {
  const features = await openStream(session, stream);
  if (!features.includes('starttls')) throw noStartTls();
  session.send(START_TLS);
  const answer = await session.take(tag);
  await expectNoRefusal(session, answer);
  if (answer.name !== 'proceed') throw wrongProtocol('The server sent a tag that is not an XMPP response.');
  if (!answer.isWhole && (await session.take(tag)).name !== '/proceed')
    throw wrongProtocol('The server sent a tag that is not an XMPP response.');
}

/** Closes the stream (RFC 6120 §4.4) and waits until the server closes its own. Inside TLS, opens a new one first (§5.4.3.3). */
async function goodbye(session: PlaintextSession, stream: Stream, state: SessionState): Promise<void> {
  // Close the stream even if the server refuses the new one: it still waits for the end.
  if (state !== 'refused') await openStream(session, stream).catch(() => undefined);
  session.send('</stream:stream>');
  while ((await session.take(tag)).name !== '/stream');
}

/**
 * Rejects with StartTlsError if a tag ends the stream or refuses TLS: a stream error (RFC 6120 §4.9), `failure` (§5.4.2.2) or the end
 * of the stream.
 */
async function expectNoRefusal(session: PlaintextSession, { name, isWhole }: Tag): Promise<void> {
  if (!['error', 'failure', '/stream'].includes(name)) return;
  const { code, text } = name === 'error' && !isWhole ? await readStreamError(session) : NO_DETAILS;
  throw serverRefused(
    { code: code ?? (name === 'failure' ? name : null), text },
    TEMPORARY_CONDITIONS.includes(code ?? ''),
  );
}

const NO_DETAILS = { code: null, text: '' };

/** Reads the condition and the text of a stream error. Ignores an unknown condition. */
async function readStreamError(session: PlaintextSession): Promise<{ code: string | null; text: string }> {
  const found = { ...NO_DETAILS } as { code: string | null; text: string };
  try {
    for (let seen = await session.take(tag); seen.name !== '/error'; seen = await session.take(tag)) {
      if (CONDITIONS.has(seen.name)) found.code ??= seen.name;
      if (seen.name === '/text') found.text = seen.before;
    }
  } catch (error) {
    // The server closed the connection before its error was complete. It refused us all the same.
    if (!(error instanceof StartTlsError)) throw error;
  }
  return found;
}

/** Conditions after which a later attempt may succeed. */
const TEMPORARY_CONDITIONS = [
  'connection-timeout',
  'internal-server-error',
  'remote-connection-failed',
  'resource-constraint',
  'system-shutdown',
];
/** Defined conditions of stream errors (RFC 6120 §4.9.3). */
const CONDITIONS: ReadonlySet<string> = new Set([
  ...TEMPORARY_CONDITIONS,
  'bad-format',
  'bad-namespace-prefix',
  'conflict',
  'host-gone',
  'host-unknown',
  'improper-addressing',
  'invalid-from',
  'invalid-namespace',
  'invalid-xml',
  'not-authorized',
  'not-well-formed',
  'policy-violation',
  'reset',
  'restricted-xml',
  'see-other-host',
  'undefined-condition',
  'unsupported-encoding',
  'unsupported-feature',
  'unsupported-stanza-type',
  'unsupported-version',
]);

const isEndOfFeatures = ({ name, isWhole }: Tag): boolean =>
  name === '/features' || (name === 'features' && isWhole);

/** Opens a stream and returns the names of the tags in the server's features. Rejects with StartTlsError on failure. */
async function openStream(session: PlaintextSession, { domain, namespace }: Stream): Promise<string[]> {
  session.send(
    `<?xml version='1.0'?><stream:stream xmlns='${namespace}' ` +
      `xmlns:stream='http://etherx.jabber.org/streams' to='${domainPart(domain)}' version='1.0'>`,
  );
  let { name } = await session.take(firstTag);
  if (name === '?xml') ({ name } = await session.take(tag));
  if (name !== 'stream') throw wrongProtocol('The server did not open an XMPP stream.');
  const names: string[] = [];
  for (let seen = await session.take(tag); !isEndOfFeatures(seen); seen = await session.take(tag)) {
    await expectNoRefusal(session, seen);
    names.push(seen.name);
  }
  return names;
}

/**
 * Converts a domain to U-labels (RFC 7622 §3.2). Removes characters that would need escaping; host names contain none.
 */
function domainPart(domain: string): string {
  return (domainToUnicode(domain) || domain).replaceAll(/[^\p{L}\p{M}\p{N}.:-]/gu, '');
}

interface Tag {
  /** The text before the tag, as Latin-1. */
  before: string;
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
  const found = /^([^<>]*)<((?:[^<>"']|"[^<"]*"|'[^<']*')*)>/.exec(text);
  if (found === null) {
    if (seen.length >= MAX_TAG_BYTES)
      throw wrongProtocol(`The server sent no complete tag in the first ${MAX_TAG_BYTES} bytes.`);
    return null;
  }
  const [, before = '', inside = ''] = found;
  const [, slash = '', name = ''] = /^(\/?)(?:[^\s/:]+:)?([^\s/:]+)/.exec(inside) ?? [];
  return { value: { before, name: slash + name, isWhole: inside.endsWith('/') }, length: found[0].length };
};
