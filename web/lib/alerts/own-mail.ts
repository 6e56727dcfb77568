import { changeChannel } from '../../../contract/calls/alert.ts';
import { OWN_MAIL } from '../../../contract/channel.ts';
import { call } from '../api-client.ts';

/** Resumes mail to the account's own address after bounces or an unsubscription, and sends a test email. */
export async function reopenOwnMail(): Promise<void> {
  await call(changeChannel, { params: { key: OWN_MAIL }, body: { enabled: true } });
}
