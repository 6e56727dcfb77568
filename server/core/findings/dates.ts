import { type Certificate, subjectPublicKeyHash } from '../../pki/certificate.ts';
import { certificateName } from '../facts.ts';
import { clientNames } from '../judge/clients/client-rule.ts';
import { longInstant } from '../long-date.ts';
import { inspect } from '../report/reproduce.ts';
import { type DatedRule, dayStart } from '../rules/dated-rule.ts';
import { ruleById, rulesOf } from '../rules/dated-rules.ts';
import { type Infer, nullable, number, object, optional, text } from '../shape.ts';
import { count } from '../../../contract/words.ts';
import { type Definition, type FoundIn, kind, type Words, type WordsContext } from './definition.ts';

/** Id of the rule that the root of a chain expires. It is not among `DATED_RULES`, because its day is that of the root. */
export const ROOT_EXPIRES = 'root_expires';

const dated = object({
  /** Id of a rule of `DATED_RULES`, or `ROOT_EXPIRES`. A newer version may have stored one that this version does not know. */
  rule: text,
  /** When the rule begins, ms UTC. */
  from: number,
  /** Name of the root, if the rule is about roots; validity in days, if the rule is about that. */
  evidence: object({ root: nullable(text), days: nullable(number) }),
});
type Dated = Infer<typeof dated>;

/** Findings about days to come. The certificate is as good as the other findings say until then. */
export const DATED_FINDINGS = {
  /** Clients refuse the certificate from a day on that is within its validity. */
  refused_from: {
    kinds: { refused_from: kind(dated, refusalWords, { fix: refusalFix }) },
    fix: 'Before that day, get another certificate and install it.',
    command: inspect('-noout -issuer -dates'),
    isReasonToReplace: true,
  },
  /** The certificate stays good, but its renewal will differ. */
  renewal_changes: {
    kinds: { renewal_changes: kind(dated, renewalWords, { fix: renewalFix }) },
    fix: 'Read what changes before you renew.',
    command: inspect('-noout -issuer -dates -ext extendedKeyUsage'),
    isReasonToReplace: true,
  },
} satisfies Readonly<Record<string, Definition>>;

export type DatedFinding = FoundIn<typeof DATED_FINDINGS>;

function refusalWords({ rule, from, evidence }: Dated, { clients }: Pick<WordsContext, 'clients'>): Words {
  const verb = clients.length === 1 ? 'refuses' : 'refuse';
  const why =
    rule === ROOT_EXPIRES
      ? `: its root “${evidence.root ?? ''}” expires then, and it leads to no other`
      : ruleById(rule)?.kind === 'no_certificates'
        ? ` and everything else below the root “${evidence.root ?? ''}”`
        : '';
  return {
    message: `From ${longInstant(from)} on, ${clientNames(clients)} ${verb} this certificate${why}.`,
    evidence: ruleEvidence({ rule, evidence }),
  };
}

function refusalFix({ rule, from }: Dated): string | undefined {
  return rule === ROOT_EXPIRES
    ? `Before ${longInstant(from)}, install a certificate that leads to another root. If the authority is your own, renew its root and have it trusted everywhere.`
    : `Before ${longInstant(from)}, install a certificate that leads to another root.`;
}

function renewalWords({ rule, from, evidence }: Dated): Words {
  return {
    message: renewalMessage(ruleById(rule), { from, evidence }),
    evidence: ruleEvidence({ rule, evidence }),
  };
}

function renewalMessage(rule: DatedRule | undefined, { from, evidence }: Omit<Dated, 'rule'>): string {
  const since = longInstant(from);
  switch (rule?.kind) {
    case 'server_auth_only':
      return `This certificate also lets the server identify itself to other servers as their client. Public certificates issued from ${since} on cannot do that.`;
    case 'max_lifetime': {
      const reuse = rulesOf('validation_reuse').find((one) => one.from === rule.from);
      const validated =
        reuse === undefined
          ? ''
          : `, and rely on a validation of the domain that is at most ${count(reuse.maxDays, 'day')} old`;
      return `This certificate is valid for ${count(evidence.days ?? 0, 'day')}. Public certificates issued from ${since} on are valid for at most ${count(rule.maxDays, 'day')}${validated}.`;
    }
    case 'no_new_certificates': {
      const verb = rule.clients.length === 1 ? 'does' : 'do';
      return `${clientNames(rule.clients)} ${verb} not trust certificates of the root “${evidence.root ?? ''}” issued from ${since} on. This one stays trusted, but its renewal may not be.`;
    }
    default:
      return `Certificates issued from ${since} on follow other rules than this one.`;
  }
}

function renewalFix({ rule, from }: Dated): string | undefined {
  const before = `before ${longInstant(from)}`;
  switch (ruleById(rule)?.kind) {
    case 'server_auth_only':
      return `If this server identifies itself to other servers with this certificate (mutual TLS, mail or XMPP between servers), get a client certificate of a private authority for that ${before}. Otherwise, nothing needs to be done.`;
    case 'max_lifetime':
      return `Automate the renewal and the validation of the domain ${before}. If the renewal runs by itself, nothing needs to be done.`;
    case 'no_new_certificates':
      return `Ask your authority which root its new certificates lead to, or choose another authority, ${before}.`;
    default:
      return undefined;
  }
}

/** Returns where a rule comes from and when somebody compared it with its source. */
function ruleEvidence({ rule, evidence: { root } }: Pick<Dated, 'rule' | 'evidence'>): Words['evidence'] {
  const known = ruleById(rule);
  return [
    ...(root === null ? [] : [{ label: 'Root', value: root }]),
    ...(known === undefined
      ? []
      : [
          { label: 'Source', value: known.source },
          { label: 'As of', value: longInstant(dayStart(known.reviewedOn)) },
        ]),
  ];
}

/** A root that no client has yet: its name, and the id of the rule that says so. Absent if the finding is about none. */
export const newRoot = optional(object({ name: text, rule: text }));
interface AboutNewRoot {
  newRoot?: Infer<typeof newRoot>;
}

/** Returns the first certificate whose key is that of a root that no client has yet. */
export function newRootAmong(certificates: readonly Certificate[]): AboutNewRoot {
  const found = certificates.flatMap((certificate) => {
    const key = subjectPublicKeyHash(certificate);
    const rule = rulesOf('new_roots').find(({ roots }) => key in roots);
    return rule === undefined ? [] : { name: certificateName(certificate), rule: rule.id };
  });
  return found[0] === undefined ? {} : { newRoot: found[0] };
}

/** Returns advice about a root that no client has yet; undefined if the finding is about none. */
export function newRootFix({ newRoot: root }: AboutNewRoot): string | undefined {
  if (root === undefined) return undefined;
  const reviewedOn = ruleById(root.rule)?.reviewedOn;
  const asOf = reviewedOn === undefined ? '' : ` (as of ${longInstant(dayStart(reviewedOn))})`;
  return `No client has “${root.name}” among its roots yet${asOf}. Install the full chain that your authority delivers with the certificate: in it, a root that clients have has signed “${root.name}”.`;
}
