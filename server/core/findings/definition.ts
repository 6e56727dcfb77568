import type { Client, FindingSeverity } from '../../../contract/check-words.ts';
import type { Command } from '../report/reproduce.ts';
import type { InferUnion, Shape } from '../shape.ts';

/**
 * `critical`: the endpoint is refused by all clients, by all software that uses OpenSSL, or, over https, by a browser; `warning`: only
 * other clients refuse it, or clients may refuse it soon; `upcoming`: clients will refuse it from a known day on; `note`: nobody needs to act.
 */
export type Severity = FindingSeverity;

/** A sentence, and the values that prove it, with labels. */
export interface Words {
  message: string;
  evidence: { label: string; value: string }[];
}

/** What the words of a finding depend on in addition to its facts. */
export interface WordsContext {
  /** Display name of the host. */
  host: string;
  /** Number of addresses that show the finding. */
  addresses: number;
  /** The clients that refuse the endpoint, if the finding names them. */
  clients: readonly Client[];
}

/** The shape of the facts of a finding, and what depends on their values. */
export interface Kind<Facts, Stored = Facts> {
  facts: Shape<Stored>;
  words: (facts: Facts, shown: WordsContext) => Words;
  /** Returns advice for these facts that replaces `Definition.fix`; undefined if that advice fits. */
  fix?: (facts: Facts, shown: Pick<WordsContext, 'host'>) => string | undefined;
  /** Returns the line for cards that replaces `Definition.short`; undefined if that line fits. */
  short?: (facts: Facts, shown: Pick<WordsContext, 'addresses'>) => string | undefined;
  /** Returns the clients that refuse the endpoint; undefined if the code or the severity decides that. */
  refusedBy?: (facts: Facts) => readonly Client[] | undefined;
  /**
   * Whether the finding causes an alert about a broken chain whenever a client refuses the endpoint, even if the finding is not critical.
   */
  breaksChain?: true;
}

/** A kind whose facts are not known to the compiler. */
export type AnyKind = Kind<never, unknown>;

export const kind = <Facts>(
  facts: Shape<Facts>,
  words: Kind<Facts>['words'],
  more: Omit<Kind<Facts>, 'facts' | 'words'> = {},
): Kind<Facts> => ({ facts, words, ...more });

/** Where a person adds private authorities: in the profile of an account, or on the command line. */
export type AuthorityPlace = 'profile' | 'shell';

/** Everything that depends on the code of a finding. */
export interface Definition {
  /** The kinds of its facts, by their stored names. */
  kinds: Readonly<Record<string, AnyKind>>;
  /** One concrete thing to do, in one or two sentences. */
  fix: string | ((about: { severity: Severity; host: string; authorityPlace: AuthorityPlace }) => string);
  /** Default: a command that shows the certificates that the server sends. */
  command?: Command;
  /** A few words for the card. Without them the card shows the whole sentence. */
  short?: string;
  /**
   * The problem under which the finding causes an alert. Default: a broken chain if the finding is critical. Null: no alert, because
   * another problem reports it, or because it is not about the chain.
   */
  problem?: 'wrong_name' | 'replacement_wanted' | null;
  /** Whether the finding is a reason to replace the certificate, so that an early replacement causes no alert. */
  isReasonToReplace?: true;
  /** The clients that refuse the endpoint. Default: all clients if the finding is critical, else none. */
  refusedBy?: readonly Client[];
}

type FactsOf<Kinds> = InferUnion<
  'kind',
  { [Name in keyof Kinds]: Kinds[Name] extends { facts: infer Facts } ? Facts : never }
>;
/** The facts of findings with these definitions. */
export type FactsIn<Findings> = {
  [Code in keyof Findings]: Findings[Code] extends { kinds: infer Kinds } ? FactsOf<Kinds> : never;
}[keyof Findings];

/** A finding before it is known which addresses show it. */
export interface Found<Code, Facts> {
  code: Code;
  severity: Severity;
  /** Fingerprint of the certificate that the finding is about; null if it is about none. */
  fingerprint: string | null;
  facts: Facts;
  /** The clients that refuse the endpoint because of the finding; absent if they follow from its code or facts, see `clientsRefusing`. */
  clients?: readonly Client[];
  /** Set if serving the correct chain fixes the finding. */
  fixedByChain?: true;
}
/** A finding with one of these definitions. */
export type FoundIn<Findings> = Found<keyof Findings, FactsIn<Findings>>;

/** Returns a key that is equal for findings with the same code and the same facts, ignoring their evidence. */
export function contentKey({ code, facts }: { code: string; facts: object }): string {
  return JSON.stringify([code, { ...facts, evidence: undefined }]);
}
