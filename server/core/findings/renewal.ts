import { longInstant } from '../long-date.ts';
import { inspect } from '../report/reproduce.ts';
import { boolean, type Infer, nullable, number, object, text } from '../shape.ts';
import { type Definition, kind, type Words } from './definition.ts';

const renewalWindow = object({
  start: number,
  end: number,
  /** URL of an explanation; null if the CA gives none. */
  explanationUrl: nullable(text),
});
/** The period in which a CA wants a certificate renewed (RFC 9773), ms UTC. */
export type RenewalWindow = Infer<typeof renewalWindow>;

/** Findings about when a certificate should be renewed. */
export const RENEWAL_FINDINGS = {
  /** The server still sends the certificate although its renewal is overdue. */
  renewal_overdue: {
    kinds: {
      renewal_overdue: kind(
        object({
          dueAt: number,
          notAfter: number,
          evidence: object({ serialNumber: text, window: nullable(renewalWindow) }),
        }),
        ({ dueAt, notAfter, evidence }) => ({
          message: `The certificate should have been renewed by ${longInstant(dueAt)}. It expires on ${longInstant(notAfter)}.`,
          evidence: [
            { label: 'Serial number', value: evidence.serialNumber },
            { label: 'Renewal due', value: longInstant(dueAt) },
            { label: 'Expires', value: longInstant(notAfter) },
            ...(evidence.window === null ? [] : windowEvidence(evidence.window)),
          ],
        }),
      ),
    },
    fix: 'Renew the certificate. If renewal is automatic, find out why it did not run.',
    command: inspect('-noout -serial -dates'),
    short: 'Renewal overdue',
    isReasonToReplace: true,
  },
  /** The CA asks for a replacement, either far before the usual time or with an explanation. */
  replacement_wanted: {
    kinds: {
      /** `hasBegun`: whether the CA's window had begun at the time of the check. */
      replacement_wanted: kind(
        object({ window: renewalWindow, hasBegun: boolean }),
        ({ window, hasBegun }) => ({
          message: `Your CA wants this certificate replaced ${hasBegun ? 'now' : `by ${longInstant(window.end)}`}${window.explanationUrl === null ? ', earlier than usual' : ', and explains why'}.`,
          evidence: windowEvidence(window),
        }),
      ),
    },
    fix: 'Renew the certificate now: your authority may revoke this one soon.',
    command: inspect('-noout -serial -dates'),
    short: 'Its CA wants it replaced',
    problem: 'replacement_wanted',
    isReasonToReplace: true,
  },
} satisfies Readonly<Record<string, Definition>>;

function windowEvidence({ start, end, explanationUrl }: RenewalWindow): Words['evidence'] {
  return [
    { label: 'Suggested renewal window', value: `${longInstant(start)} to ${longInstant(end)}` },
    ...(explanationUrl === null ? [] : [{ label: 'Explanation', value: explanationUrl }]),
  ];
}
