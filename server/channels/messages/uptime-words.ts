import type { AlertWords, DomainAlertInput } from './alert-input.ts';
import { checkSentence, hostRows, lastChecked } from './wording.ts';
import { formatInstant } from '../../../contract/time-zone.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';
import { durationInTwoUnits } from '../../../contract/state/schedule.ts';
import { count } from '../../../contract/words.ts';

/** Returns the words about an endpoint that is down, flapping or up again. */
export function uptimeWords(input: DomainAlertInput): AlertWords {
  const { group, alert } = input;
  if (group !== null && group.domains.length > 1) return severalOutages(input, SEVERAL[stepOf(alert)]);
  if (alert.step === 'resolved') return upAgain(input);
  return alert.step === 'flapping' ? flapping(input) : down(input);
}

const stepOf = ({ step }: DomainAlertInput['alert']) =>
  step === 'resolved' || step === 'flapping' ? step : 'opened';

const SEVERAL = {
  opened: {
    badge: { tone: 'critical', text: 'Down' },
    after: ' are down.',
    remedy:
      'Look first at what they share: a server, a network, a provider. The next checks will show when they are back.',
    since: 'The first went down',
    then: 'A second check confirmed each outage. ',
    schedule: 'We send one message when hosts go down and one when they are up again.',
  },
  flapping: {
    badge: { tone: 'soon', text: 'Flapping' },
    after: ' are flapping.',
    remedy: 'Look first at what they share: a server, a network, a provider.',
    since: 'The first was last down',
    then: 'Each was down 3 times within 6 hours. We write again when they have been up for an hour. ',
    schedule: 'We send one message now and one when they have been up for an hour.',
  },
  resolved: {
    badge: { tone: 'ok', text: 'Up again' },
    after: ' are up again.',
    remedy: 'There is nothing to do.',
    since: 'The first had gone down',
    then: '',
    schedule: 'We send this once, to the channels that got the alert.',
  },
} as const;

/** Returns the words about outages of several hosts. `alert` is about the outage that began first. */
function severalOutages(input: DomainAlertInput, words: (typeof SEVERAL)[keyof typeof SEVERAL]): AlertWords {
  const { host, alert, group, timeZone } = input;
  const { badge, after, remedy, since, then, schedule } = words;
  const first = formatInstant(alert.facts.startedAt, timeZone);
  return {
    badge,
    preheader: `${count(group?.domains.length ?? 1, 'host')}. ${since} on ${first}.`,
    heading: { before: '', host, after },
    paragraphs: [remedy, `${then}${since} on ${first}.`],
    facts: hostRows(input),
    schedule,
  };
}

function down(input: DomainAlertInput): AlertWords {
  const { host, alert, now, timeZone } = input;
  const { startedAt } = alert.facts;
  const seen = checkSentence(input.alert.facts.message, input.timeZone);
  const fix = checkSentence(alert.facts.fix, timeZone) || DEFAULT_FIX;
  const since = formatInstant(startedAt, timeZone);
  return {
    badge: { tone: 'critical', text: 'Down' },
    preheader: `${seen === '' ? 'It did not answer 2 checks in a row.' : seen} Down since ${since}.`,
    heading: { before: '', host, after: ' is down.' },
    paragraphs: [
      `${fix} The next check will show when it is back.`,
      `${seen === '' ? 'It did not answer.' : seen} A second check confirmed it. It has been down since ${since}.`,
    ],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Down since', value: since },
      ...(now - startedAt < MINUTE_MS
        ? []
        : [{ label: 'Down for', value: durationInTwoUnits(now - startedAt) }]),
      ...lastChecked(input),
    ],
    schedule: 'We send one message now and one when it is up again.',
  };
}

const DEFAULT_FIX =
  'Check whether the server is running, and whether its firewall or provider lets connections in.';

function flapping(input: DomainAlertInput): AlertWords {
  const { host, alert, timeZone } = input;
  const { startedAt, endedAt } = alert.facts;
  const seen = checkSentence(input.alert.facts.message, input.timeZone);
  return {
    badge: { tone: 'soon', text: 'Flapping' },
    preheader: 'Down 3 times within 6 hours. We write again when it has been up for an hour.',
    heading: { before: '', host, after: ' is flapping.' },
    paragraphs: [
      `Look for a process that restarts or runs out of memory or connections.${seen === '' ? '' : ` At the last check: ${seen}`}`,
      'It was down 3 times within 6 hours, and up in between. To avoid a message for every change, we write again ' +
        'when it has been up for an hour.',
    ],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Last down', value: formatInstant(startedAt, timeZone) },
      ...(endedAt === null ? [] : [{ label: 'Up since', value: formatInstant(endedAt, timeZone) }]),
      ...lastChecked(input),
    ],
    schedule: 'We send one message now and one when it has been up for an hour.',
  };
}

function upAgain(input: DomainAlertInput): AlertWords {
  const { host, alert, alertedAt, timeZone } = input;
  const { startedAt } = alert.facts;
  const end = alert.facts.endedAt ?? alertedAt;
  const after = durationInTwoUnits(end - startedAt);
  const since = formatInstant(end, timeZone);
  return {
    badge: { tone: 'ok', text: 'Up again' },
    preheader: `Up since ${since}, ${after} after it went down.`,
    heading: { before: '', host, after: ' is up again.' },
    paragraphs: [
      `There is nothing to do. It came back ${after} after it went down, and has been up since ${since}.`,
    ],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Went down', value: formatInstant(startedAt, timeZone) },
      { label: 'Up since', value: since },
      ...lastChecked(input),
    ],
    schedule: 'We send this once, to the channels that got the alert.',
  };
}
