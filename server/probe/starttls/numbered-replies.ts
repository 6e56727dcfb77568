import { reply } from './lines.ts';
import { refused } from './talk.ts';
import type { Talk } from './talk.ts';

/**
 * What we call ourselves (RFC 5321 §4.1.1.1). A name that nobody has (RFC 6761 §6.4): our address would tell strangers how
 * the network behind it is built.
 */
const OUR_NAME = 'certlantern.invalid';

/** RFC 3207. */
export async function smtp(talk: Talk): Promise<void> {
  await greeting(talk, [220]);
  talk.send(`EHLO ${OUR_NAME}\r\n`);
  const { code, lines } = await reply(talk);
  if (code !== 250) throw refused(`EHLO is answered with ${code}`);
  if (!lines.some((text) => text.trim().toUpperCase() === 'STARTTLS'))
    throw refused('STARTTLS is not offered');
  await command(talk, 'STARTTLS', 220);
}

/** RFC 4217. */
export async function ftp(talk: Talk): Promise<void> {
  await greeting(talk, [220]);
  await command(talk, 'AUTH TLS', 234);
}

/** RFC 4642. */
export async function nntp(talk: Talk): Promise<void> {
  await greeting(talk, [200, 201]);
  await command(talk, 'STARTTLS', 382);
}

async function greeting(talk: Talk, wanted: readonly number[]): Promise<void> {
  const { code } = await reply(talk);
  if (!wanted.includes(code)) throw refused(`the greeting is ${code}`);
}

async function command(talk: Talk, text: string, wanted: number): Promise<void> {
  talk.send(`${text}\r\n`);
  const { code } = await reply(talk);
  if (code !== wanted) throw refused(`${text} is answered with ${code}`);
}
