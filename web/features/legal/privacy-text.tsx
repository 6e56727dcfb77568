import type { ReactNode } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';

/** What is kept and who else hears of it, as this deployment is configured. */
export function PrivacyText({ contact }: { contact: ReactNode }) {
  const { identity, billing, analytics_id: analyticsId, limits, try_it: hasTryIt } = usePublicConfig();
  const usesFirebase = identity.provider === 'firebase';
  const openIdNames = identity.provider === 'built-in' ? identity.oidc.map(({ name }) => name) : [];
  const isSold = billing.mode === 'paddle' || billing.mode === 'test';
  const hasTrial = billing.mode !== 'none';
  const alertDays = billing.mode === 'none' ? '97 days' : '14 days (with Premium 97)';
  return (
    <>
      <p>Kept for your account, and for nothing else:</p>
      <ul className="list-disc space-y-1 pl-5">
        <li>
          your email address, name and company as you gave them, the time zone of your browser or the one you
          chose
          {usesFirebase ? '' : ', a hash of your password, and the passkeys and authenticator you set up'};
        </li>
        <li>
          the hosts you add, the notes and tags you give them, what their certificates and checks showed, and
          the private authorities you trust;
        </li>
        <li>
          whom to alert and when: the addresses and channels you add, with the keys that these need, your
          steps, quiet hours and maintenance;
        </li>
        <li>
          what was sent to you: mails for 90 days, and alerts with what became of each until {alertDays} after
          the end of what they tell of;
        </li>
        <li>
          the status page and badges you switch on, and the API tokens you make: hashes of them, and when each
          was last used. What a call with an Idempotency-Key was answered is kept for a day;
        </li>
        <li>
          your sessions: hashes of their tokens, and so that you can recognise them the browser and the
          network address of the last use;
        </li>
        <li>the feedback you send{isSold ? ';' : '.'}</li>
        {isSold && (
          <li>what the payment provider tells of your subscription: its state, dates and numbers.</li>
        )}
      </ul>
      <p>
        Your network address is also used for a short time to limit how often sign-in
        {hasTryIt && ' and the box on the first page'} can be tried.
      </p>
      <p>
        A check asks the name servers and the servers of a host, the authority that issued its certificate
        (whether it is revoked, when to renew it, what is missing in its chain) and the registry of its
        domain. They hear of the host and of its certificate, from this server, and nothing of you.
      </p>
      {hasTryIt && (
        <p>
          That box looks at a host without an account. The host and what was found are handed over inside the
          server and deleted with the answer; nothing of it is kept.
        </p>
      )}
      {hasTrial && (
        <p>
          If you used the free trial of {limits.trial_days} days, a salted hash of your email address is kept
          for 12 months after your account was deleted. It serves one purpose: one trial for each address.
        </p>
      )}
      <p>
        Cookies hold your session
        {analyticsId === null ? ' and nothing else' : ', besides those of the measurement below'}. Your
        browser keeps how you chose to see the pages, such as theme, font and order; and while a tab is open
        what you have typed and not yet sent, and an encrypted copy of your profile fields.{' '}
        {analyticsId === null && 'There are no analytics. '}There is no advertising.
      </p>
      {analyticsId !== null && (
        <p>
          Google Analytics measures five events: sign-up, login, an added domain, a checkout that begins and a
          purchase. Sign-up and login carry your email address and the way you signed in, an added domain the
          number of your domains, checkout and purchase the amount. Its script is loaded at the first of them.
          With Do Not Track or Global Privacy Control in your browser nothing is loaded and nothing is sent.
        </p>
      )}
      {usesFirebase && (
        <p>
          Sign-in runs through Firebase Authentication, a service of Google: your password, where you use one,
          is kept there and never here.
        </p>
      )}
      {openIdNames.length > 0 && (
        <p>
          If you sign in with {openIdNames.join(' or ')}, you leave for their page; they tell us your email
          address, name and picture, and learn that you use this service.
        </p>
      )}
      {billing.mode === 'paddle' && (
        <p>
          Payments are made with Paddle, the seller of record. Opening the upgrade dialog loads Paddle's
          checkout from cdn.paddle.com; what you enter there, your card above all, goes to Paddle and never to
          this server. Paddle learns your email address, and keeps invoices for as long as the law asks.
        </p>
      )}
      <p>
        Alerts leave by email through the mail server that this deployment is set up with. A channel that you
        add, such as a webhook, Slack, Discord, Microsoft Teams, Telegram, PagerDuty or ntfy, is sent what the
        alert says: the host, what is wrong, its certificate and its dates, and nothing else of your account.
        From there on it is kept as its receiver keeps things. Removing a channel ends that at once, and its
        keys are deleted.
      </p>
      <p>
        Somebody else whom you want mailed gets one mail that asks; without their yes they get no other. Every
        alert has a link that ends such mail, for one host or for all, and that choice is kept for as long as
        your account. An address whose mail server refuses mail for good is noted with the reason, and gets
        none until it is tried again. The calendar feed shows your hosts and their dates to whoever has its
        secret address; you can end that address at any time.
      </p>
      <p>
        The hosts you add see the checks as connections from this server; they never see you. Their icons are
        fetched by this server too, from the site or from where its page says, and kept for as long as anybody
        has the site in a list; your browser never calls a host that you track.
      </p>
      <p>
        Deleting your account removes all of this at once
        {hasTrial && ', but for the hash that is named above'}. For anything else about your data: {contact}.
      </p>
    </>
  );
}
