import { count } from '../../../contract/words.ts';
import { longInstant } from '../long-date.ts';
import type { ReachFailure, ReachStage } from '../observation.ts';
import { STAGE_WORDS, whatHappened } from '../report/reach-words.ts';
import { compareAddresses, inspect, lookUpCommand, verify } from '../report/reproduce.ts';
import { code, type Infer, list, number, object, text } from '../shape.ts';
import { type Definition, kind } from './definition.ts';
import { listOfNames } from './leaf.ts';

const difference = object({
  /** Number of addresses that showed a certificate. */
  read: number,
  /** Number of different certificates that they showed. */
  certificates: number,
  /** How the certificates at other addresses compare with the one that the finding is about: the old one, or the first to expire. */
  others: code<'its_renewals' | 'later' | 'as_long'>(),
  notAfter: number,
  evidence: list(object({ name: text, serialNumber: text, notAfter: number, addresses: list(text) })),
});

/** Findings about what the addresses of a host serve, and whether they can be reached. */
export const ADDRESS_FINDINGS = {
  certificates_differ: {
    kinds: {
      addresses_differ: kind(
        difference,
        (facts, { addresses }) => ({
          message: differenceSentence(facts, addresses),
          evidence: facts.evidence.flatMap(({ name, serialNumber, notAfter, addresses: at }) => [
            { label: 'Certificate', value: name },
            { label: 'Serial number', value: serialNumber },
            { label: 'Valid until', value: longInstant(notAfter) },
            { label: 'At', value: at.join(', ') },
          ]),
        }),
        {
          fix: updateFix,
          short: ({ others, read }, { addresses }) =>
            others === 'its_renewals' ? `${addresses} of ${read} addresses: old certificate` : undefined,
        },
      ),
      /** The certificates that servers behind one address show in rotation, the first to expire first. */
      shown_in_turn: kind(
        object({ certificates: list(object({ fingerprint: text, notAfter: number })) }),
        ({ certificates }) => ({
          message: `The host alternates between ${certificates.length} certificates, probably from several servers behind one address. The earliest expires on ${longInstant(certificates[0]?.notAfter ?? 0)}.`,
          evidence: certificates.map(({ fingerprint, notAfter }) => ({
            label: `Until ${longInstant(notAfter)}`,
            value: `SHA-256 ${fingerprint}`,
          })),
        }),
      ),
    },
    fix: 'Install the new certificate on the servers at these addresses too, and reload them.',
    command: compareAddresses,
    short: 'Addresses serve different certificates',
  },
  /** Clients that send no ALPN get another certificate, probably of another service. */
  other_certificate_without_alpn: {
    kinds: {
      /** The other certificate's name, the first host names in it and how many it has. */
      other_without_alpn: kind(
        object({
          name: text,
          names: list(text),
          total: number,
          notAfter: number,
          evidence: object({ serialNumber: text }),
        }),
        ({ name, names, total, notAfter, evidence }) => ({
          message: `Clients that send no ALPN, such as old programs and monitoring tools, get another certificate: ${name}, valid until ${longInstant(notAfter)}.`,
          evidence: [
            { label: 'Certificate', value: name },
            { label: 'Names', value: listOfNames({ names, total }) },
            { label: 'Serial number', value: evidence.serialNumber },
            { label: 'Valid until', value: longInstant(notAfter) },
          ],
        }),
      ),
    },
    fix: 'If clients without ALPN should reach this host too, send them to the same server, or install a certificate for this name there.',
    command: inspect('-noout -subject -ext subjectAltName -dates', []),
    short: 'Another certificate without ALPN',
  },
  address_unreachable: {
    kinds: {
      addresses_unreachable: kind(
        object({
          reason: code<ReachFailure>(),
          total: number,
          evidence: list(object({ address: text, stage: code<ReachStage>(), durationMs: number })),
        }),
        ({ reason, total, evidence }, { addresses }) => ({
          message: `We could not check ${addresses} of ${total} addresses: the host ${whatHappened(reason)}.`,
          evidence: evidence.map(({ address, stage, durationMs }) => ({
            label: address,
            value: `failed at ${STAGE_WORDS[stage]} after ${Math.round(durationMs)} ms`,
          })),
        }),
        { short: ({ total }, { addresses }) => `${addresses} of ${total} addresses cannot be reached` },
      ),
    },
    fix: 'Start the server at these addresses, or remove them from DNS.',
    command: verify,
    short: 'Some addresses cannot be reached',
    problem: null,
  },
  /** The name also has addresses that the policy refuses. They were not contacted. */
  address_left_out: {
    kinds: {
      addresses_left_out: kind(object({ count: number }), ({ count }) => ({
        message:
          count === 1
            ? 'One address was left out, because this server may not check it.'
            : `${count} addresses were left out, because this server may not check them.`,
        evidence: [],
      })),
    },
    fix: 'Nothing to do if the name is meant to have private addresses too. Otherwise remove them from DNS, because visitors cannot reach them.',
    command: ({ endpoint }) => lookUpCommand(endpoint.host),
  },
} satisfies Readonly<Record<string, Definition>>;

/** Number of addresses that the advice names. */
const ADDRESSES_NAMED = 3;

/** Returns advice that names the addresses with the certificate that expires first; undefined if no certificate clearly does. */
function updateFix({ others, notAfter, evidence }: Infer<typeof difference>): string | undefined {
  const [oldest, ...further] = evidence.filter((one) => one.notAfter === notAfter);
  if (others === 'as_long' || oldest === undefined || further.length > 0) return undefined;
  const { addresses } = oldest;
  if (addresses.length === 1)
    return `Install the new certificate on the server at ${addresses.join('')} too, and reload it.`;
  const named = addresses.slice(0, ADDRESSES_NAMED);
  const more = addresses.length - named.length;
  const last = more > 0 ? count(more, 'other address', 'other addresses') : named.pop();
  return `Install the new certificate on the servers at ${named.join(', ')} and ${last} too, and reload them.`;
}

function differenceSentence(
  { read, certificates, others, notAfter }: Infer<typeof difference>,
  addresses: number,
): string {
  const isOne = addresses === 1;
  const share = `${addresses} of ${read} addresses`;
  const date = longInstant(notAfter);
  switch (others) {
    case 'its_renewals':
      return `${share} still ${isOne ? 'serves' : 'serve'} the old certificate, which expires on ${date}.`;
    case 'later':
      return `${share} ${isOne ? 'serves' : 'serve'} a certificate that expires earlier than the others, on ${date}.`;
    default:
      return `${read} addresses serve ${certificates} different certificates.`;
  }
}
