import { z } from 'zod';
import type { ChannelDefinition, EnteredConfig } from '../definition.ts';

/** Channel for mail to a recipient other than the account's owner. The recipient must agree first. */
export const email: ChannelDefinition<EnteredConfig<'email'>> = {
  stored: z.object({ kind: z.literal('email'), address: z.string() }),
  toStored: ({ kind, address }) => ({ kind, address: address.toLowerCase() }),
  receiverKey: ({ address }) => address.toLowerCase(),
  maskedTarget: ({ address }) => address,
  defaultName: ({ address }) => address,
};
