import { duration, truncatedLine } from '../../core/index.ts';
import type { AboutMonitor, Words } from './alert-input.ts';
import { instant, lastChecked } from './wording.ts';
import { MINUTE_MS } from '../../../contract/durations.ts';

const MAX_SENTENCE_LENGTH = 600;

/** Returns the words about an endpoint that is down, flapping or up again. */
export function uptimeWords(input: AboutMonitor): Words {
  if (input.alert.step === 'resolved') return upAgain(input);
  return input.alert.step === 'flapping' ? flapping(input) : down(input);
}

/** Returns the message of the check on one line; empty if there is none. */
function checkSentence({ alert }: AboutMonitor): string {
  return truncatedLine(alert.facts.message ?? '', MAX_SENTENCE_LENGTH);
}

function down(input: AboutMonitor): Words {
  const { host, alert, now, timeZone } = input;
  const { startedAt } = alert.facts;
  const seen = checkSentence(input);
  const fix = truncatedLine(alert.facts.fix ?? '', MAX_SENTENCE_LENGTH) || DEFAULT_FIX;
  const since = instant(startedAt, timeZone);
  return {
    badge: { tone: 'critical', text: 'Down' },
    preheader: `${seen === '' ? 'It did not answer two checks in a row.' : seen} Down since ${since}.`,
    heading: { before: '', host, after: ' is down.' },
    paragraphs: [
      `${seen === '' ? 'It did not answer.' : seen} A second look saw the same. It has been down since ${since}.`,
      `${fix} The next check sees when it is back.`,
    ],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Down since', value: since },
      ...(now - startedAt < MINUTE_MS ? [] : [{ label: 'For', value: duration(now - startedAt) }]),
      ...lastChecked(input),
    ],
    schedule: 'It is told once, and once more when it is up again.',
  };
}

const DEFAULT_FIX =
  'Look whether the server runs, and whether its firewall or its provider lets the world in.';

function flapping(input: AboutMonitor): Words {
  const { host, alert, timeZone } = input;
  const { startedAt, endedAt } = alert.facts;
  const seen = checkSentence(input);
  return {
    badge: { tone: 'soon', text: 'Comes and goes' },
    preheader: 'Down three times within six hours. You hear of it again when it has been up for an hour.',
    heading: { before: '', host, after: ' comes and goes.' },
    paragraphs: [
      'It was down three times within six hours, and up in between. You are not told of every turn: the next message ' +
        'comes when it has been up for an hour.',
      `${seen === '' ? '' : `What the last look saw: ${seen} `}Look for what restarts, or runs out of memory or connections.`,
    ],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Last down', value: instant(startedAt, timeZone) },
      ...(endedAt === null ? [] : [{ label: 'Up since', value: instant(endedAt, timeZone) }]),
      ...lastChecked(input),
    ],
    schedule: 'It is told once, and once more when it has been up for an hour.',
  };
}

function upAgain(input: AboutMonitor): Words {
  const { host, alert, alertedAt, timeZone } = input;
  const { startedAt } = alert.facts;
  const end = alert.facts.endedAt ?? alertedAt;
  const after = duration(Math.max(1, end - startedAt));
  const since = instant(end, timeZone);
  return {
    badge: { tone: 'ok', text: 'Up again' },
    preheader: `Up since ${since}, ${after} after it went down.`,
    heading: { before: '', host, after: ' is up again.' },
    paragraphs: [`All is well: it came back ${after} after it went down, and has been up since ${since}.`],
    facts: [
      { label: 'Host', value: host, mono: true },
      { label: 'Went down', value: instant(startedAt, timeZone) },
      { label: 'Up since', value: since },
      ...lastChecked(input),
    ],
    schedule: 'Good news comes once, where you were told of the trouble.',
  };
}
