import type { Client } from '../../../contract/check-words.ts';
import { CLIENTS_OF_PART } from '../../core/judge/clients/hello-rules.ts';
import {
  HELLO_PARTS,
  type HelloObservation,
  type HelloPart,
  type HelloReaction,
} from '../../core/observation.ts';
import { type HelloTarget, writeHello } from './client-hello.ts';
import {
  type Browser,
  BROWSER_HELLOS,
  MEASURED_NAME_LENGTH,
  OTHER_HELLO_BYTES,
  plainHello,
} from './hello-shapes.ts';
import type { HelloAnswer } from './send-hello.ts';

type Send = (hello: Buffer) => Promise<HelloAnswer>;
type Intolerance = HelloObservation['intolerances'][number];
/** How the server reacted to each ClientHello that it refused; null for one that it answered. */
type Reactions<Key> = ReadonlyMap<Key, HelloReaction | null>;
/** Sends `times` ClientHellos for each key (default: one), all at the same time. Returns null if one got no connection. */
type AskEach = <Key>(
  keys: readonly Key[],
  hello: (key: Key) => Buffer,
  times?: number,
) => Promise<Reactions<Key> | null>;

/** Browsers whose ClientHello each server gets. Every part of Safari's ClientHello is in one of these two. */
const ALWAYS: readonly Browser[] = ['chromium', 'firefox'];
/** How often a ClientHello is sent again, and must be refused each time, before it is reported. */
const CONFIRMATIONS = 2;

/**
 * Sends the ClientHellos of Chromium and Firefox with `send.first`. If the server refuses one, finds out with `send.further` which part it does
 * not accept: one that it refused three times while it answered plain ClientHellos. Returns null if the server may only be busy or unreachable.
 */
export async function testHellos(
  target: HelloTarget,
  send: { first: Send; further: Send },
): Promise<Omit<HelloObservation, 'address'> | null> {
  const warningAlerts = new Set<number>();
  let hasEmptyRecord = false;
  let hasEmptyChange = false;
  const askWith =
    (sendOne: Send): AskEach =>
    async (keys, hello, times = 1) => {
      const asked = keys.flatMap((key) => Array.from({ length: times }, () => key));
      const answers = await Promise.all(
        asked.map(async (key) => ({ key, answer: await sendOne(hello(key)) })),
      );
      const reactions = new Map<(typeof keys)[number], HelloReaction | null>();
      for (const { key, answer } of answers) {
        if (answer.state === 'unknown') return null;
        const isAnswered = answer.state === 'answered' || reactions.get(key) === null;
        reactions.set(key, isAnswered ? null : answer.reaction);
        if (answer.state !== 'answered') continue;
        for (const alert of answer.flight.warningAlerts) warningAlerts.add(alert);
        hasEmptyRecord ||= answer.flight.hasEmptyRecord;
        hasEmptyChange ||= answer.flight.hasEmptyChange;
      }
      return reactions;
    };
  const intolerances = await findIntolerances(target, askWith(send.first), askWith(send.further));
  const alerts = [...warningAlerts];
  return intolerances && { intolerances, warningAlerts: alerts, hasEmptyRecord, hasEmptyChange };
}

async function findIntolerances(
  target: HelloTarget,
  askFirst: AskEach,
  ask: AskEach,
): Promise<Intolerance[] | null> {
  const ofBrowser = (browser: Browser): Buffer => writeHello(BROWSER_HELLOS[browser], target);
  const plain = (): Buffer => writeHello(plainHello(), target);
  const first = await askFirst(ALWAYS, ofBrowser);
  if (first === null) return null;
  const refusedOnce = refusedIn(first);
  if (refusedOnce.length === 0) return [];

  // Send both again. A server that refused one only once is spared the many ClientHellos below. Do not repeat one that got no answer,
  // because each takes the whole time limit.
  const isLoud = (browser: Browser): boolean => first.get(browser) !== 'silent';
  const [controls, again] = await Promise.all([
    ask(['plain'], plain),
    ask(refusedOnce.filter(isLoud), ofBrowser),
  ]);
  // If the server refuses even a plain ClientHello with an alert, it needs something that not all browsers offer. If it refuses in another
  // way, it may just be busy.
  const control = controls?.get('plain');
  if (control !== null) return control === 'alert' ? [] : null;
  if (again === null) return null;
  const failing = refusedOnce.filter((browser) => again.get(browser) !== null);
  if (failing.length === 0) return [];
  const length = Math.min(...failing.map((browser) => ofBrowser(browser).length));
  const withPart = (part: HelloPart): Buffer =>
    writeHello(plainHello(part), target, part === 'size' ? length : 0);
  const passing = ALWAYS.filter((browser) => !failing.includes(browser));
  const isTolerated = (part: HelloPart): boolean =>
    passing.some((browser) =>
      part === 'size' ? ofBrowser(browser).length >= length : isSentBy(part, browser),
    );
  const suspects = HELLO_PARTS.filter(
    (part) => !isTolerated(part) && failing.some((browser) => isSentBy(part, browser)),
  );
  const [apple, alone] = await Promise.all([ask(['apple'], ofBrowser), ask(suspects, withPart)]);
  if (apple === null || alone === null) return null;
  const refused = refusedIn(alone);
  // A server that refuses large ClientHellos refuses the key share of ML-KEM because of its size.
  const parts = refused.filter((part) => part !== 'ml_kem' || !refused.includes('size'));
  const unexplained = [...failing, ...refusedIn(apple)].filter(
    (browser) => !parts.some((part) => isSentBy(part, browser)),
  );

  const smaller = parts.includes('size') ? smallerHellos(target, length) : [];
  const ofLength = ({ bytes }: { bytes: number }): Buffer => writeHello(plainHello(), target, bytes);
  const [plainAgain, partsAgain, browsersAgain, sizes] = await Promise.all([
    ask(['plain'], plain, CONFIRMATIONS),
    ask(parts, withPart, CONFIRMATIONS),
    ask(unexplained, ofBrowser, CONFIRMATIONS),
    ask(smaller, ofLength, CONFIRMATIONS),
  ]);
  if (plainAgain?.get('plain') !== null || !partsAgain || !browsersAgain || !sizes) return null;
  const clientsOf = (part: HelloPart): readonly Client[] =>
    part === 'size' ? [...failing, ...refusedIn(sizes).map(({ client }) => client)] : CLIENTS_OF_PART[part];
  const whole = refusedIn(browsersAgain);
  const [reaction = null] = whole.map((browser) => browsersAgain.get(browser) ?? null);
  return [
    ...[...partsAgain].flatMap(([part, how]) =>
      how === null ? [] : [{ part, reaction: how, clients: clientsOf(part) }],
    ),
    ...(reaction === null ? [] : [{ part: 'whole' as const, reaction, clients: whole }]),
  ];
}

const isSentBy = (part: HelloPart, browser: Browser): boolean => CLIENTS_OF_PART[part].includes(browser);

const refusedIn = <Key>(reactions: Reactions<Key>): Key[] =>
  [...reactions].flatMap(([key, reaction]) => (reaction === null ? [] : [key]));

/** Returns the clients whose ClientHello is shorter than the refused one of `length` bytes, with the length of each. */
function smallerHellos(target: HelloTarget, length: number): { client: Client; bytes: number }[] {
  const more = (target.serverName ?? '').length - MEASURED_NAME_LENGTH;
  return [
    { client: 'apple' as const, bytes: writeHello(BROWSER_HELLOS.apple, target).length },
    ...OTHER_HELLO_BYTES.map(({ client, bytes }) => ({ client, bytes: bytes + more })),
  ].filter(({ bytes }) => bytes < length);
}
