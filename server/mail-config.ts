import { ConfigError } from './config-error.ts';

/** Validates SMTP_URL and returns it. Null means that mail is captured in DATA_DIR instead of sent. @throws ConfigError */
export function smtpAddress(value: string | null): string | null {
  if (value === null) return null;
  const example = 'smtp://user:password@mail.example.com:587';
  mailServerAddress('SMTP_URL', value, { schemes: ['smtp:', 'smtps:'], example });
  return value;
}

/** The bounce address, and the mailbox from which the server reads bounces. */
export interface BounceConfig {
  /** Address of the form `local@domain`. Each mail adds `+` and its own tag to the local part. */
  address: string;
  /** URL of the mailbox (imap:// or imaps://) with user and password; null: the server does not read bounces. */
  mailbox: string | null;
}

/** Validates BOUNCE_ADDRESS and BOUNCE_MAILBOX. Returns null if neither is set. @throws ConfigError */
export function bounceConfig(address: string | null, mailbox: string | null): BounceConfig | null {
  if (address === null) {
    if (mailbox === null) return null;
    throw new ConfigError('BOUNCE_MAILBOX needs BOUNCE_ADDRESS, the address whose mail arrives there.');
  }
  if (!/^[^<>@\s"+]+@[^<>@\s"]+$/.test(address))
    throw new ConfigError(
      `BOUNCE_ADDRESS must be an address like bounces@example.com, without a “+”, but it is “${address}”.`,
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

/**
 * Parses the URL of a mail server. @throws ConfigError, which does not quote the value because it may contain a
 * password
 */
function mailServerAddress(
  name: string,
  value: string,
  { schemes, example }: { schemes: readonly [plain: string, encrypted: string]; example: string },
): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !schemes.includes(url.protocol) || url.hostname === '')
    throw new ConfigError(`${name} must be an address like ${example}.`);
  const [plain] = schemes;
  // Reject other options, because they would be ignored silently.
  if (url.search !== '' && (url.search !== '?tls=opportunistic' || url.protocol !== plain))
    throw new ConfigError(
      `${name} accepts only the option ?tls=opportunistic, and only with ${plain}//. The option allows sending the password and the mail unencrypted.`,
    );
  return url;
}
