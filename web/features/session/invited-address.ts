import { z } from 'zod';
import { jsonOf } from '../../lib/base64url.ts';

const payloadSchema = z.object({ email: z.email() });

/** The address that an invitation's code names, to be filled in; empty where it names none. The server judges the code. */
export function invitedAddress(invite: string | undefined): string {
  const payload = invite?.split('.')[1];
  if (payload === undefined) return '';
  try {
    return payloadSchema.safeParse(jsonOf(payload)).data?.email ?? '';
  } catch {
    return '';
  }
}
