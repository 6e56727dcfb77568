import { reply } from './lines.ts';
import { refused } from './talk.ts';
import type { Talk } from './talk.ts';

/**
 * Our name in EHLO (RFC 5321 §4.1.1.1). A reserved name (RFC 6761 §6.4), because our address would reveal the structure
 * of the operator's network to strangers.
 */
const EHLO_NAME = 'certlantern.invalid';

/** RFC 3207. */
export async function smtp(talk: Talk): Promise<void> {
  await expectGreeting(talk, [220]);
  talk.send(`EHLO ${EHLO_NAME}\r\n`);
  const { code, lines } = await reply(talk);
  if (code !== 250) throw refused(`EHLO is answered with ${code}`);
  if (!lines.some((text) => text.trim().toUpperCase() === 'STARTTLS'))
    throw refused('STARTTLS is not offered');
  await runCommand(talk, 'STARTTLS', 220);
}

/** RFC 4217. */
export async function ftp(talk: Talk): Promise<void> {
  await expectGreeting(talk, [220]);
  await runCommand(talk, 'AUTH TLS', 234);
}

/** RFC 4642. */
export async function nntp(talk: Talk): Promise<void> {
  await expectGreeting(talk, [200, 201]);
  await runCommand(talk, 'STARTTLS', 382);
}

async function expectGreeting(talk: Talk, expected: readonly number[]): Promise<void> {
  const { code } = await reply(talk);
  if (!expected.includes(code)) throw refused(`the greeting is ${code}`);
}

async function runCommand(talk: Talk, text: string, expected: number): Promise<void> {
  talk.send(`${text}\r\n`);
  const { code } = await reply(talk);
  if (code !== expected) throw refused(`${text} is answered with ${code}`);
}
