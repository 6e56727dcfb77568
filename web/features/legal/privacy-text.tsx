import type { ReactNode } from 'react';
import { usePublicConfig } from '../../lib/public-config.ts';

type Config = ReturnType<typeof usePublicConfig>;
/** A text, or a function of the deployment's settings that returns the text, or false if the text does not apply. */
type Text = string | ((config: Config) => string | false);

const isSold = ({ billing }: Config) => billing.mode === 'paddle' || billing.mode === 'test';
const hasTrial = ({ billing }: Config) => billing.mode !== 'none';
const openIdNames = ({ identity }: Config) =>
  identity.provider === 'built-in' ? identity.oidc.map(({ name }) => name) : [];

const STORED: readonly Text[] = [
  ({ identity }) =>
    'your email address, name and company as you gave them, the time zone of your browser or the one you chose' +
    (identity.provider === 'firebase'
      ? ';'
      : ', a hash of your password, and the passkeys and authenticator you set up;'),
  'the hosts you add, the notes and tags you give them, what their certificates and checks showed, and the private authorities you trust;',
  'your alert settings: the addresses and channels you add with their keys, your steps, quiet hours and maintenance windows;',
  ({ billing }) =>
    `what we sent you: emails for 90 days, and alerts with their delivery results until ${billing.mode === 'none' ? '97 days' : '14 days (with Premium 97)'} after the end of the incident;`,
  'the status page and badges you switch on, and the API tokens you create (as hashes, with the time of last use). We keep the answer to a call with an Idempotency-Key for a day;',
  'your sessions: hashes of their tokens, and the browser and network address of the last use, so that you can recognise them;',
  (config) => `the feedback you send${isSold(config) ? ';' : '.'}`,
  (config) =>
    isSold(config) && 'your subscription as the payment provider reports it: its state, dates and numbers.',
];

const PARAGRAPHS: readonly Text[] = [
  ({ try_it: hasTryIt }) =>
    `We also use your network address for a short time to limit how often login${hasTryIt ? ' and the check on the landing page' : ''} can be tried.`,
  'A check asks the name servers and the servers of a host, the authority that issued its certificate (whether it is revoked, when to renew it, what is missing in its chain) and the registry of its domain. They see a request from this server about the host and its certificate, and nothing about you.',
  'To forecast whether the next renewal of a public certificate will work, this server asks its name servers about each name in the certificate: its addresses, which authorities may issue for the name and the domains above it (CAA), and the records _acme-challenge and _validation-persist below it. From the hosts among these names that you track, it requests a file at port 80, as an authority does to validate a name. The operator of this server can switch this off.',
  'Once somebody watches a certificate of a public authority, this server fetches the lists of Certificate Transparency logs that Google and Apple publish, at most once a day, unless its operator has switched that off. These requests contain no host and nothing about you.',
  ({ try_it: hasTryIt }) =>
    hasTryIt &&
    'The check on the landing page needs no account. The server deletes the host and the result as soon as it has answered.',
  (config) =>
    hasTrial(config) &&
    `If you used the free trial of ${config.limits.trial_days} days, we keep a salted hash of your email address for 12 months after you delete your account. Its only purpose is to allow one trial for each address.`,
  ({ analytics_id: id }) =>
    `Cookies hold your session${id === null ? ' and nothing else' : ', besides those of the measurement described below'}. ` +
    'Your browser stores your display choices, such as theme, font and sort order. While a tab is open, it also stores text that you have not sent yet, and an encrypted copy of your profile fields. ' +
    `${id === null ? 'There are no analytics. ' : ''}There is no advertising.`,
  ({ analytics_id: id }) =>
    id !== null &&
    'Google Analytics measures five events: a sign-up, a login, added domains, a started checkout and a purchase. Sign-up and login events contain your email address and the way you logged in, events about domains contain their number, and checkout and purchase events contain the amount. The script of Google Analytics loads at the first of these events. If your browser sends Do Not Track or Global Privacy Control, we load and send nothing.',
  ({ identity }) =>
    identity.provider === 'firebase' &&
    'Sign-in runs through Firebase Authentication, a service of Google: your password, if you use one, is stored there and never here.',
  (config) =>
    openIdNames(config).length > 0 &&
    `If you sign in with ${openIdNames(config).join(' or ')}, you go to their page; they send us your email address, name and picture, and learn that you use this service.`,
  ({ billing }) =>
    billing.mode === 'paddle' &&
    'Payments are made with Paddle, the seller of record. Opening the upgrade dialog loads Paddle’s checkout from cdn.paddle.com. What you enter there, such as your card number, goes to Paddle and never to this server. Paddle learns your email address, and keeps invoices for as long as the law requires.',
  'This server sends alert emails through its operator’s mail server. A channel that you add, such as a webhook or a chat, receives the content of the alert: the host, the problem, the certificate and its dates, and nothing else from your account. What happens to it there is up to the receiver. Removing a channel stops this at once and deletes its keys.',
  'Anyone else whom you add as a recipient gets one email that asks for consent, and no others without it. Every alert has a link to unsubscribe, from one host or from all, and we keep that choice for as long as your account exists. If a mail server permanently refuses an address, we store the reason and send nothing there until you try again. The calendar feed shows your hosts and their dates to anyone who has the secret link; you can delete the link at any time.',
  'The hosts you add see connections from this server, never from you. This server also fetches their icons, from the site or from the address its page names, and keeps them for as long as anybody tracks the site. Your browser never connects to a host that you track.',
];

/** Renders the privacy policy for this deployment's configuration. */
export function PrivacyText({ contact }: { contact: ReactNode }) {
  const config = usePublicConfig();
  const said = (texts: readonly Text[]) =>
    texts.flatMap((text) => (typeof text === 'string' ? text : text(config) || []));
  return (
    <>
      <p>We store this for your account, and use it for nothing else:</p>
      <ul className="list-disc space-y-1 pl-5">
        {said(STORED).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {said(PARAGRAPHS).map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p>
        Deleting your account removes all of this at once
        {hasTrial(config) && ', except for the hash described above'}. For anything else about your data:{' '}
        {contact}.
      </p>
    </>
  );
}
