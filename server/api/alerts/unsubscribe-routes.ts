import type { UnsubscribeSubjectWire } from '../../../contract/alerting.ts';
import { CALLS } from '../../../contract/calls/calls.ts';
import { mailedLink } from '../../core/account-mail.ts';
import { ACCOUNT_MAIL } from '../../core/alerting/settings.ts';
import { displayName } from '../../core/endpoint.ts';
import { confirmChannel } from '../../store/mail/recipient-confirmation.ts';
import {
  acceptsOldLinks,
  findMailRecipient,
  type MailRecipient,
  type MailSubject,
  readUnsubscribeToken,
  setUnsubscribed,
  type UnsubscribeChoice,
} from '../../store/mail/unsubscriptions.ts';
import type { Api, AppParts } from '../http/api.ts';
import { derivedKey, unsubscribeKeys } from '../auth/derived-keys.ts';
import type { AppContext } from '../http/app-env.ts';
import { Refusal, refuse } from '../http/problem.ts';
import { hasInvitationExpired } from './recipient-invitation.ts';

const BAD_LINK = () =>
  refuse(
    'invalid_token',
    'The link is incomplete, or its account was deleted. Open the link at the end of your newest mail.',
  );
const OLD_LINK = () =>
  refuse(
    'invalid_token',
    'The link is from an old mail. Open the link at the end of a newer one, or log in and change your alerts.',
  );

/** Registers the calls for people who get our mail but may have no account. The token in the mailed link authorises the call. */
export function unsubscribeRoutes(api: Api, { store, secrets, config }: AppParts): void {
  const keys = unsubscribeKeys(secrets.session);
  const oldKey = derivedKey(secrets.session, 'unsubscribe');

  /**
   * Returns the subject of a token made with `key`, or of one from before schema level 19 while its account still accepts these.
   * Returns a refusal for all other tokens.
   */
  async function subjectOf(token: string, key: Buffer, now: number): Promise<MailSubject | Refusal> {
    const subject = readUnsubscribeToken(key, token);
    if (subject !== null) return subject;
    const old = readUnsubscribeToken(oldKey, token);
    if (old === null) return BAD_LINK();
    return (await acceptsOldLinks(store, old.accountId, now)) ? old : OLD_LINK();
  }

  api.on(CALLS.confirmRecipient, async ({ body, now }) => {
    const confirmed = hasInvitationExpired(body.token, now)
      ? null
      : await confirmChannel(store, { token: body.token, now });
    return confirmed === null
      ? refuse(
          'invalid_token',
          'This link was already used, has expired after 7 days, or was withdrawn. If you get no alerts, ask for a new link.',
        )
      : { data: { address: confirmed.address, account: confirmed.accountName } };
  });

  api.on(CALLS.unsubscribeSubject, async ({ body, now }) => {
    const subject = await subjectOf(body.token, keys.page, now);
    if (subject instanceof Refusal) return subject;
    const reader = await findMailRecipient(store, subject);
    return reader ? { data: subjectWire(subject, reader) } : BAD_LINK();
  });

  api.on(CALLS.unsubscribe, async ({ body, now }) => {
    const subject = await subjectOf(body.token, keys.page, now);
    if (subject instanceof Refusal) return subject;
    const reader = await setUnsubscribed(store, subject, { choice: body.scope, now });
    return reader ? { data: subjectWire(subject, reader) } : BAD_LINK();
  });

  api.on(CALLS.unsubscribeAtOnce, async ({ c, params, now }) => {
    const form = await readForm(c);
    if (form?.['List-Unsubscribe'] !== 'One-Click')
      return refuse('invalid_request', 'Send a form with List-Unsubscribe=One-Click.');
    const subject = await subjectOf(params.token, keys.oneClick, now);
    if (subject instanceof Refusal) return subject;
    const reader = await findMailRecipient(store, subject);
    if (!reader) return BAD_LINK();
    // If the recipient has unsubscribed from all mail, keep that wider choice.
    if (reader.unsubscribed !== 'all')
      await setUnsubscribed(store, subject, { choice: oneClickChoice(subject), now });
    return { data: null };
  });

  api.on(CALLS.openUnsubscribeAddress, async ({ c, params }) => {
    c.header('Cache-Control', 'no-store');
    // Pass on only tokens from before schema level 19: other one-click tokens are not valid on the page.
    const isOld = readUnsubscribeToken(oldKey, params.token) !== null;
    const page = new URL('/unsubscribe', config.publicUrl).href;
    return c.redirect(isOld ? mailedLink('/unsubscribe', params.token, config.publicUrl) : page, 302);
  });
}

/** Returns the fields of a form, URL-encoded or multipart; null if the body is malformed. */
async function readForm(c: AppContext) {
  try {
    return await c.req.parseBody();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Returns what one click unsubscribes from: mail about the alert's domain, the digest, or all mail to an added address. For a
 * digest it is the digest alone, so that somebody who tidies a mailbox does not lose alerts.
 */
function oneClickChoice({ monitorId, channelKey }: MailSubject): UnsubscribeChoice {
  if (monitorId !== null) return 'domain';
  return channelKey === ACCOUNT_MAIL ? 'digest' : 'all';
}

function subjectWire(
  { monitorId, channelKey }: MailSubject,
  { address, domain, unsubscribed }: MailRecipient,
): UnsubscribeSubjectWire {
  return {
    address: maskedAddress(address),
    domain: domain && displayName(domain),
    mail: monitorId === null && channelKey === ACCOUNT_MAIL ? 'digest' : 'alert',
    unsubscribed,
  };
}

/** Masks an address: people forward mail with its links, and other readers must not see the whole address. */
function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}•••${address.slice(at)}`;
}
