import { ConfigError } from './config-error.ts';

/** The address of the mail server (SMTP_URL), checked; null: mail is kept here. @throws ConfigError */
export function smtpAddress(value: string | null): string | null {
  if (value === null) return null;
  const example = 'smtp://user:password@mail.example.com:587';
  mailServerAddress('SMTP_URL', value, { schemes: ['smtp:', 'smtps:'], example });
  return value;
}

/** Where mail comes back to that could not be delivered, and the mailbox in which to look for it. */
export interface BounceConfig {
  /** `local@domain`; each mail puts its own mark between the two. */
  address: string;
  /** imap:// or imaps://, with user and password; null: nobody reads it here. */
  mailbox: string | null;
}

/** @throws ConfigError */
export function bounceConfig(address: string | null, mailbox: string | null): BounceConfig | null {
  if (address === null) {
    if (mailbox === null) return null;
    throw new ConfigError('BOUNCE_MAILBOX needs BOUNCE_ADDRESS, the address whose mail arrives there.');
  }
  if (!/^[^<>@\s"+]+@[^<>@\s"]+$/.test(address))
    throw new ConfigError(
      `BOUNCE_ADDRESS must be an address like bounces@example.com, without a "+", but it is "${address}".`,
    );
  if (mailbox !== null) {
    const example = 'imaps://user:password@mail.example.com/INBOX';
    const { username } = mailServerAddress('BOUNCE_MAILBOX', mailbox, {
      schemes: ['imap:', 'imaps:'],
      example,
    });
    if (username === '') throw new ConfigError(`BOUNCE_MAILBOX must be an address like ${example}.`);
  }
  return { address, mailbox };
}

/** Parses the address of a mail server. @throws ConfigError, without the value, which has a password in it. */
function mailServerAddress(
  name: string,
  value: string,
  { schemes, example }: { schemes: readonly [plain: string, encrypted: string]; example: string },
): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !schemes.includes(url.protocol) || url.hostname === '')
    throw new ConfigError(`${name} must be an address like ${example}.`);
  const [plain] = schemes;
  // Any other option would look as if it had an effect.
  if (url.search !== '' && (url.search !== '?tls=opportunistic' || url.protocol !== plain))
    throw new ConfigError(
      `${name} takes no option but ?tls=opportunistic, with ${plain}// only: it allows sending the password and the mail without encryption.`,
    );
  return url;
}
