import type { UnsubscribeScope, UnsubscribeSubjectWire } from '../../../../contract/alerting.ts';

export interface UnsubscribeWords {
  title: string;
  text: string;
  /** The most common choice comes first. */
  choices: { scope: UnsubscribeScope; label: string }[];
}

const ALL = { scope: 'all', label: 'Stop all alert emails' } as const;
const AGAIN = { scope: 'none', label: 'Turn them back on' } as const;

/** Returns what the recipient of an email gets now, and what they can change. */
export function unsubscribeWords({
  address,
  domain,
  mail,
  unsubscribed,
}: UnsubscribeSubjectWire): UnsubscribeWords {
  if (unsubscribed === 'all')
    return {
      title: 'Alert emails stopped',
      text: `We send no more alerts to ${address}, not even when a certificate is about to expire.`,
      choices: [AGAIN],
    };
  if (mail === 'digest')
    return unsubscribed === 'digest'
      ? {
          title: 'No more weekly digest',
          text: `Alerts still go to ${address}. You can turn the digest back on under Alerts.`,
          choices: [ALL],
        }
      : {
          title: 'Stop the weekly digest',
          text: `We send the digest to ${address}. Alerts continue if you stop it.`,
          choices: [{ scope: 'digest', label: 'Stop the weekly digest' }, ALL],
        };
  if (unsubscribed === 'domain')
    return {
      title: `No more emails about ${domain ?? 'this domain'}`,
      text: `Alerts about other domains still go to ${address}.`,
      choices: [AGAIN, ALL],
    };
  return {
    title: 'Stop alert emails',
    text: `${domain === null ? 'The email' : `The email about ${domain}`} went to ${address}. Monitoring continues either way.`,
    choices: domain === null ? [ALL] : [{ scope: 'domain', label: `Stop emails about ${domain}` }, ALL],
  };
}
