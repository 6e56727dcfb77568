import { expect, it } from 'vitest';
import { createInvite } from '../../../server/providers/identity/invite.ts';
import { invitedAddress } from './invited-address.ts';

it('invitedAddress reads the address from an invitation code', async () => {
  expect(invitedAddress(await createInvite('Mara@fjord.example', 'secret', 0))).toBe('mara@fjord.example');
});

it.each([undefined, '', 'code', 'a.b.c', `x.${btoa('{"email":7}')}.y`, `x.${btoa('"mara"')}.y`])(
  'invitedAddress is empty for the code %j',
  (code) => expect(invitedAddress(code)).toBe(''),
);
