import type { UnsubscribeScope, UnsubscribeSubject } from './mailed-calls.ts';

export interface UnsubscribeWords {
  title: string;
  text: string;
  /** The first is what most come for. */
  choices: { scope: UnsubscribeScope; label: string }[];
}

const ALL = { scope: 'all', label: 'Stop all alert mail' } as const;
const AGAIN = { scope: 'none', label: 'Get it again' } as const;

/** What holds for the reader of a mail, and what they can do about it. */
export function unsubscribeWords({
  address,
  domain,
  mail,
  unsubscribed,
}: UnsubscribeSubject): UnsubscribeWords {
  if (unsubscribed === 'all')
    return {
      title: 'You get no more alert mail',
      text: `Nothing goes to ${address} any more, also not when a certificate is about to expire.`,
      choices: [AGAIN],
    };
  if (mail === 'digest')
    return unsubscribed === 'digest'
      ? {
          title: 'No more weekly digest',
          text: `Alerts still go to ${address}. The digest is switched on again on the page Alerts.`,
          choices: [ALL],
        }
      : {
          title: 'Stop the weekly digest',
          text: `It goes to ${address}. Alerts are sent either way.`,
          choices: [{ scope: 'digest', label: 'Stop the weekly digest' }, ALL],
        };
  if (unsubscribed === 'domain')
    return {
      title: `No more mail about ${domain ?? 'this domain'}`,
      text: `Alerts about other domains still go to ${address}.`,
      choices: [AGAIN, ALL],
    };
  return {
    title: 'Stop alert mail',
    text: `${domain === null ? 'The mail' : `The mail about ${domain}`} went to ${address}. Monitoring goes on either way.`,
    choices: domain === null ? [ALL] : [{ scope: 'domain', label: `Stop mail about ${domain}` }, ALL],
  };
}
