import { OWN_MAIL } from '../../../contract/channel.ts';
import { changeChannel } from './channel-calls.ts';

/** Tries the account's own address again, whoever closed it: its mail server, or its reader. A test mail goes out. */
export async function reopenOwnMail(): Promise<void> {
  await changeChannel(OWN_MAIL, { enabled: true });
}
