import { expect, it } from 'vitest';
import { isSuppressible } from './account-mail.ts';

it('confirmation mails and operator alarms are sent even to suppressed addresses; other mails are not', () => {
  expect((['digest', 'premium_ended', 'channel_disabled'] as const).every(isSuppressible)).toBe(true);
  expect((['verify_email', 'confirm_recipient', 'operator_alarm'] as const).some(isSuppressible)).toBe(false);
});
