import { type Client, CLIENT_NAMES } from '../../../contract/check-words.ts';
import { ANCHORED_RULES } from '../judge/clients/anchor-rules.ts';
import { isHelloRule, type Reason, type Versions } from '../judge/clients/client-rule.ts';
import { EMAIL_RULE } from '../judge/clients/email-rules.ts';
import { EXTENSION_RULES } from '../judge/clients/extension-rules.ts';
import { FIELD_RULES } from '../judge/clients/field-rules.ts';
import { HANDSHAKE_RULES, POLICY_RULES } from '../judge/clients/handshake-rules.ts';
import { HELLO_REASONS, helloEvidence } from '../judge/clients/hello-rules.ts';
import { PATH_RULES, SIZE_RULES } from '../judge/clients/limit-rules.ts';
import { HOST_RULES, NAME_RULES } from '../judge/clients/name-rules.ts';
import { EXTRA_CERTIFICATE_RULES, ISSUER_RULES, UNORDERED_RULE } from '../judge/clients/sent-rules.ts';
import type { HelloPart, HelloReaction } from '../observation.ts';
import { listed } from '../one-line.ts';
import { inspect } from '../report/reproduce.ts';
import { code, type Infer, list, nullable, object, optional, text } from '../shape.ts';
import { type Definition, kind, type Words, type WordsContext } from './definition.ts';
import { REISSUE_ADVICE } from './path.ts';

const refusal = object({
  rule: code<ClientRuleCode>(),
  /** Name of the CA certificate at fault; null if the leaf or the server is at fault. */
  authority: nullable(text),
  /** Only for rules about a ClientHello: the parts that the server does not accept, and how it reacts to them. */
  evidence: optional(object({ reaction: code<HelloReaction>(), parts: list(code<HelloPart>()) })),
});
type Refusal = Infer<typeof refusal>;

const RULES = [
  ...ANCHORED_RULES,
  ...EXTRA_CERTIFICATE_RULES,
  ...ISSUER_RULES,
  UNORDERED_RULE,
  EMAIL_RULE,
  ...EXTENSION_RULES,
  ...FIELD_RULES,
  ...HANDSHAKE_RULES,
  ...POLICY_RULES,
  ...SIZE_RULES,
  ...PATH_RULES,
  ...NAME_RULES,
  ...HOST_RULES,
];
/** Codes of the reasons why some clients refuse a certificate that others accept. A rule without a reason fails the type check. */
export type ClientRuleCode = Extract<(typeof RULES)[number], Reason>['code'] | keyof typeof HELLO_REASONS;

const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ...Object.entries(HELLO_REASONS),
  ...RULES.flatMap((rule) => ('why' in rule ? [[rule.code, rule] as const] : [])),
]);

/** Returns the words of a rule; undefined for a rule that only newer versions know. */
export const reasonOf = (rule: string): Reason | undefined => REASONS.get(rule);

/** Returns the first version of a client that accepts what a rule is about; undefined if older versions accept it too, or none does. */
export function acceptingSince(rule: string, client: Client): string | undefined {
  return ACCEPTING_SINCE.get(rule)?.[client];
}

const ACCEPTING_SINCE = new Map(
  RULES.flatMap((rule) => ('acceptingSince' in rule ? [[rule.code, rule.acceptingSince] as const] : [])),
) as ReadonlyMap<string, Versions>;

/** Returns the first version of a client that refuses what a rule is about; undefined if older versions refuse it too, or none does. */
export function refusingSince(rule: string, client: Client): string | undefined {
  return REASONS.get(rule)?.refusingSince?.[client];
}

const showCertificate = inspect('-noout -text');

/** The finding that some clients refuse what others accept. */
export const REFUSAL_FINDINGS = {
  refused_by_clients: {
    kinds: { refused_by_clients: kind(refusal, refusalWords, { fix: refusalFix }) },
    fix: REISSUE_ADVICE,
    command(target) {
      const { rule = '' } = target;
      const command = REASONS.get(rule)?.command;
      if (command === undefined && isHelloRule(rule)) return null;
      return (command ?? showCertificate)(target);
    },
    isReasonToReplace: true,
  },
} satisfies Readonly<Record<string, Definition>>;

const WITHOUT_FAULT = 'Ask your authority to reissue the certificate without this fault, then install it.';
const OTHER_INTERMEDIATE =
  'Ask your authority for an intermediate without this fault, or get a certificate from another authority.';

/** Returns the words of a finding about clients that refuse what others accept. */
function refusalWords(
  { rule, authority, evidence }: Refusal,
  { clients }: Pick<WordsContext, 'clients'>,
): Words {
  const known = REASONS.get(rule);
  const names = clients.map((client) => {
    const [accepting, refusing] = [acceptingSince(rule, client), refusingSince(rule, client)];
    const which = accepting === undefined ? '' : ` before ${accepting}`;
    return `${CLIENT_NAMES[client]}${refusing === undefined ? which : ` since ${refusing}`}`;
  });
  const plainVerb = names.length === 1 ? 'refuses' : 'refuse';
  const refuse = known?.isUncertain ? 'may refuse' : plainVerb;
  return {
    message: `${listed(names)} ${whatHappens(rule, refuse, authority)}${known === undefined ? '' : `: ${known.why}`}.`,
    evidence: [
      ...(evidence === undefined ? [] : helloEvidence(evidence)),
      ...(clients.includes('openssl') && !known?.isOfSomePrograms
        ? [{ label: 'OpenSSL', value: 'used by curl, Python, PHP, Node.js, Ruby and others' }]
        : []),
    ],
  };
}

function whatHappens(rule: string, refuse: string, authority: string | null): string {
  if (isHelloRule(rule)) return 'cannot connect';
  if (REASONS.get(rule)?.isOfConnection === true) return `${refuse} the connection`;
  return `${refuse} ${authority === null ? 'this certificate' : `the certificate “${authority}”`}`;
}

/** Returns one concrete thing to do, in one or two sentences. */
function refusalFix({ rule, authority }: Refusal): string {
  const { fix = WITHOUT_FAULT, isForOwner = false } = REASONS.get(rule) ?? {};
  // The owner of the host cannot change a certificate of the authority.
  return authority === null || isForOwner ? fix : OTHER_INTERMEDIATE;
}
