import type { Client, KeyType } from '../../contract/check-words.ts';
import { ADDRESS_FINDINGS } from './findings/addresses.ts';
import { REFUSAL_FINDINGS } from './findings/clients.ts';
import {
  type AnyKind,
  type Definition,
  type FactsIn,
  type Found,
  kind,
  type Kind,
  type Severity,
} from './findings/definition.ts';
import { DATED_FINDINGS } from './findings/dates.ts';
import { LEAF_FINDINGS } from './findings/leaf.ts';
import { PATH_FINDINGS } from './findings/path.ts';
import { PROTOCOL_FINDINGS } from './findings/protocol.ts';
import { RENEWAL_FINDINGS } from './findings/renewal.ts';
import { REVOCATION_FINDINGS } from './findings/revocation.ts';
import { SENT_CHAIN_FINDINGS } from './findings/sent-chain.ts';
import { code, type Infer, list, nullable, object, optional, type Shape, text, union } from './shape.ts';

/** Every finding by its code. Codes are stored, so they never change. */
export const FINDINGS = {
  ...LEAF_FINDINGS,
  ...PATH_FINDINGS,
  ...SENT_CHAIN_FINDINGS,
  ...REVOCATION_FINDINGS,
  ...RENEWAL_FINDINGS,
  ...DATED_FINDINGS,
  ...ADDRESS_FINDINGS,
  ...PROTOCOL_FINDINGS,
  ...REFUSAL_FINDINGS,
};
export type FindingCode = keyof typeof FINDINGS;

/** Returns the definition of a code; undefined if only newer versions know the code. */
export function definitionOf(code: string): Definition | undefined {
  return DEFINITIONS.get(code);
}

const DEFINITIONS: ReadonlyMap<string, Definition> = new Map(Object.entries(FINDINGS));

const findingWords = object({
  /** One plain sentence. */
  message: text,
  /** One concrete thing to do, in one or two sentences; null only in verdicts of older versions. */
  fix: nullable(text),
  /** A shell command that reproduces the finding, safe to paste; null if there is none. */
  command: nullable(text),
  /** The values that prove the finding, with labels. */
  evidence: list(object({ label: text, value: text })),
});
/** A finding in words, which contain untrusted strings from certificates: escape them. */
export type FindingWords = Infer<typeof findingWords>;

/**
 * The values in the words of a finding, instants in ms UTC. Names come from certificates, cut to one line: escape them. `evidence` has the values
 * that only the evidence list shows; findings that differ only in their evidence count as the same.
 */
export type FindingFacts =
  | FactsIn<typeof FINDINGS>
  /** Words of a finding that an older version stored as text. */
  | { kind: 'stored_words'; words: FindingWords };

const KINDS: ReadonlyMap<string, AnyKind> = new Map<string, AnyKind>([
  ...[...DEFINITIONS.values()].flatMap(({ kinds }) => Object.entries(kinds)),
  ['stored_words', kind(object({ words: findingWords }), ({ words }) => words)],
]);

/** Returns the kind of the facts of a finding. */
export function kindOf(facts: FindingFacts): Kind<FindingFacts, unknown> {
  return KINDS.get(facts.kind) as Kind<FindingFacts, unknown>;
}

/** Returns whether a value has the shape of facts. False also for a kind that only newer versions know. */
export const isFacts = union(
  'kind',
  Object.fromEntries([...KINDS].map(([name, { facts }]) => [name, facts])),
) as Shape<FindingFacts>;

export const clients: Shape<readonly Client[]> = list(code<Client>());

export const finding = object({
  code: code<FindingCode>(),
  severity: code<Severity>(),
  facts: isFacts,
  /** The addresses that show the finding. */
  addresses: list(text),
  /** Fingerprint of the certificate that the finding is about; null if it is about none. */
  fingerprint: nullable(text),
  /** Key type of the leaf, if the usual handshake shows another leaf; else null. */
  keyType: nullable(code<KeyType>()),
  /** The clients that get this leaf; absent if `keyType` is null, or if these clients are not known. */
  shownTo: optional(clients),
  /** `chain` if the fix is to serve the certificates of `Verdict.chainToServe`; else null. */
  attachment: nullable(code<'chain'>()),
  /** The clients that refuse the endpoint because of the finding; absent if they follow from its code or facts, see `clientsRefusing`. */
  clients: optional(clients),
});
/** A finding of a check, as codes and values only. `core/report` puts it into words when somebody reads it. */
export type Finding = Infer<typeof finding>;

/** A finding before it is known which addresses show it. */
export type ChainFinding = Found<FindingCode, FindingFacts>;
