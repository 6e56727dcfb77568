import type { SecureContext } from 'node:tls';
import { type Client, CLIENTS } from '../../contract/check-words.ts';
import type { Protocol } from '../../contract/protocols.ts';
import { connectsTo } from '../core/judge/clients/client-rule.ts';
import type { AlternateChain, HandshakeObservation, UsualLeaf } from '../core/observation.ts';
import { contextOf } from './address-probe.ts';
import { CLIENT_OFFERS } from './client-offers.ts';
import { type HandshakeEvidence, isPostQuantum, leafKeyType } from './handshake.ts';
import { alternateOf, hasSameLeaf } from './posture-certificates.ts';
import type { Attempt, Trial } from './posture-trial.ts';
import { offerContext, POST_QUANTUM_GROUP } from './tls-contexts.ts';

interface Answer {
  client: Client;
  context: SecureContext;
  trial: Trial;
}

/** An answer with a leaf other than the usual one. */
interface OtherAnswer extends Omit<Answer, 'trial'> {
  evidence: HandshakeEvidence;
}

/**
 * Finds out which clients get which leaf, with one handshake for each offer of each client. Clients that the server refuses count as getting
 * the usual leaf. Returns null if a result is unknown, or if equal offers get different leaves. `known`: other leaves seen so far.
 */
export async function findLeavesByClient(
  seen: HandshakeObservation,
  known: readonly AlternateChain[],
  { protocol, attempt: attemptOnce }: { protocol: Protocol; attempt: Attempt },
): Promise<{ alternates: AlternateChain[]; usual: UsualLeaf } | null> {
  const keyType = leafKeyType(seen.presentedChain);
  if (keyType === null) return null;
  const attempt = protocol === 'https' ? twiceIfNeeded(attemptOnce) : attemptOnce;
  const answers = await Promise.all(
    contextsOf(protocol, isPostQuantum(seen.group)).map(async (one): Promise<Answer> => ({
      ...one,
      trial: await attempt(one.context),
    })),
  );
  if (answers.some(({ trial }) => trial.state === 'unknown')) return null;
  const others = answers.flatMap(({ client, context, trial }): OtherAnswer[] =>
    trial.state === 'accepted' && !hasSameLeaf(trial.evidence.presentedChain, seen.presentedChain)
      ? [{ client, context, evidence: trial.evidence }]
      : [],
  );
  const leaves = distinct(others);
  if (!(await isSteady(seen, leaves, { protocol, attempt }))) return null;
  const isOther = new Set(others.map(({ context }) => context));
  const alternates = [...known];
  for (const { evidence } of leaves) {
    const type = leafKeyType(evidence.presentedChain);
    const isKnown = known.some(({ presentedChain }) => hasSameLeaf(presentedChain, evidence.presentedChain));
    if (type !== null && !isKnown) alternates.push(alternateOf(type, evidence, seen));
  }
  const clients = CLIENTS.filter(connectsTo(protocol));
  const getsOnlyOthers = (client: Client): boolean => {
    const own = answers.filter((one) => one.client === client);
    return own.length > 0 && own.every(({ context }) => isOther.has(context));
  };
  return {
    alternates: alternates.map((alternate) => {
      const own = others.filter((one) => hasSameLeaf(one.evidence.presentedChain, alternate.presentedChain));
      const [first] = own;
      const shown = first === undefined ? alternate : alternateOf(alternate.keyType, first.evidence, seen);
      // A server on Node.js staples no OCSP response after a HelloRetryRequest, which an offer of ML-KEM may cause.
      const staple = own.find((one) => one.evidence.staple !== null)?.evidence.staple ?? alternate.staple;
      return {
        ...shown,
        staple,
        clients: clients.filter((client) => own.some((one) => one.client === client)),
      };
    }),
    usual: { keyType, clients: clients.filter((client) => !getsOnlyOthers(client)) },
  };
}

/** Returns an attempt that is repeated once if it fails, so that one lost connection does not change the result. */
const twiceIfNeeded =
  (attempt: Attempt): Attempt =>
  async (...attempted) => {
    const trial = await attempt(...attempted);
    return trial.state === 'accepted' ? trial : attempt(...attempted);
  };

/**
 * Returns the offers of the clients that speak the protocol. ML-KEM is the last group, because only the first one gets a key share and many
 * servers do not know ML-KEM. `isFirst`: puts ML-KEM first, for servers that accept no other group.
 */
function contextsOf(protocol: Protocol, isFirst: boolean): Omit<Answer, 'trial'>[] {
  return CLIENT_OFFERS.filter(({ client }) => connectsTo(protocol)(client)).flatMap(
    ({ client, offer, hasMlKem }) => {
      const groups = isFirst
        ? `${POST_QUANTUM_GROUP}:${offer.groups}`
        : hasMlKem
          ? `${offer.groups}:${POST_QUANTUM_GROUP}`
          : offer.groups;
      const context = offerContext({ ...offer, groups });
      return context === null ? [] : [{ client, context }];
    },
  );
}

/** Returns the first answer for each leaf. */
function distinct(answers: readonly OtherAnswer[]): OtherAnswer[] {
  return answers.filter(
    ({ evidence }, index) =>
      answers.findIndex((one) => hasSameLeaf(one.evidence.presentedChain, evidence.presentedChain)) === index,
  );
}

/**
 * Repeats the offers one after the other and returns whether each gets the same leaf as before. If not, several servers answer in rotation. Makes
 * the usual offer twice, because strict rotation between two servers could give a single one the expected leaf.
 */
async function isSteady(
  seen: HandshakeObservation,
  others: readonly OtherAnswer[],
  { protocol, attempt }: { protocol: Protocol; attempt: Attempt },
): Promise<boolean> {
  if (others.length === 0) return true;
  const usual = { context: contextOf(seen, protocol), evidence: seen };
  for (const { context, evidence } of [usual, usual, ...others]) {
    const again = await attempt(context);
    if (again.state !== 'accepted') return false;
    if (!hasSameLeaf(again.evidence.presentedChain, evidence.presentedChain)) return false;
  }
  return true;
}
