import type { UnsubscribeSubjectWire } from '../../../contract/alerting.ts';
import { CALLS } from '../../../contract/calls.ts';
import { ACCOUNT_MAIL, displayName } from '../../core/index.ts';
import { confirmChannel } from '../../store/mail-readers.ts';
import {
  mailReader,
  type MailReader,
  type MailSubject,
  readUnsubscribeToken,
  setUnsubscribed,
  type Wish,
} from '../../store/unsubscriptions.ts';
import type { Api, AppParts } from '../api.ts';
import { derivedKey } from '../derived-keys.ts';
import { refuse } from '../problem.ts';
import { isInvitationOver } from '../recipient-invitation.ts';

const BAD_LINK = () =>
  refuse('invalid_token', 'This link is not valid. Copy it from the mail once more, to its very end.');

/** For readers of mail: who holds a link of a mail to them needs no account. */
export function mailReaderRoutes(api: Api, { store, secrets, config }: AppParts): void {
  const key = derivedKey(secrets.session, 'unsubscribe');

  api.on(CALLS.confirmRecipient, async ({ body, now }) => {
    const confirmed = isInvitationOver(body.token, now)
      ? null
      : await confirmChannel(store, { token: body.token, now });
    return confirmed === null
      ? refuse(
          'invalid_token',
          'This link was used already, and then alerts come; or it is older than seven days, or was taken back. Ask for a new one if none come.',
        )
      : { data: { address: confirmed.address, account: confirmed.accountName } };
  });

  api.on(CALLS.unsubscribeSubject, async ({ c, params }) => {
    // A mail program that knows no one-click, or a person who copied the address out of the header.
    if (c.req.header('accept')?.includes('text/html')) {
      const page = new URL('/unsubscribe', config.publicUrl);
      page.searchParams.set('token', params.token);
      return c.redirect(page.href, 302);
    }
    const subject = readUnsubscribeToken(key, params.token);
    const reader = subject && (await mailReader(store, subject));
    return subject && reader ? { data: subjectWire(subject, reader) } : BAD_LINK();
  });

  api.on(CALLS.unsubscribe, async ({ params, body, now }) => {
    const subject = readUnsubscribeToken(key, params.token);
    const reader = subject && (await setUnsubscribed(store, subject, { wish: body.scope, now }));
    return subject && reader ? { data: subjectWire(subject, reader) } : BAD_LINK();
  });

  api.on(CALLS.unsubscribeAtOnce, async ({ c, params, now }) => {
    const form = await c.req.parseBody();
    if (form['List-Unsubscribe'] !== 'One-Click')
      return refuse('invalid_request', 'Send a form with List-Unsubscribe=One-Click.');
    const subject = readUnsubscribeToken(key, params.token);
    const reader = subject && (await mailReader(store, subject));
    if (!subject || !reader) return BAD_LINK();
    // Who wants nothing at all has said so already.
    if (reader.unsubscribed !== 'all')
      await setUnsubscribed(store, subject, { wish: oneClickWish(subject), now });
    return { data: null };
  });
}

/** Of an alert its domain. Of a digest the digest: whoever tidies a mailbox must not lose alerts with it. */
function oneClickWish({ monitorId, channelKey }: MailSubject): Wish {
  if (monitorId !== null) return 'domain';
  return channelKey === ACCOUNT_MAIL ? 'digest' : 'all';
}

function subjectWire(
  { monitorId, channelKey }: MailSubject,
  { address, domain, unsubscribed }: MailReader,
): UnsubscribeSubjectWire {
  return {
    address: maskedAddress(address),
    domain: domain && displayName(domain),
    mail: monitorId === null && channelKey === ACCOUNT_MAIL ? 'digest' : 'alert',
    unsubscribed,
  };
}

/** Who has the link need not learn the address from it: mail is passed on. */
function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}•••${address.slice(at)}`;
}
