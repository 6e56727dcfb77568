import { z } from 'zod';
import type { ChannelDefinition, EnteredConfig } from '../definition.ts';

/** Mail to somebody other than the account's owner, who has to agree first. */
export const email: ChannelDefinition<EnteredConfig<'email'>> = {
  name: 'Email',
  stored: z.object({ kind: z.literal('email'), address: z.string() }),
  toStored: ({ kind, address }) => ({ kind, address: address.toLowerCase() }),
  placeOf: ({ address }) => address.toLowerCase(),
  maskedTarget: ({ address }) => address,
  defaultName: ({ address }) => address,
};
