import { z } from 'zod';
import { jsonOf } from '../../lib/browser/base64url.ts';

const payloadSchema = z.object({ email: z.email() });

/** Returns the address in an invitation code, to prefill the form; empty if there is none. The server validates the code. */
export function invitedAddress(invite: string | undefined): string {
  const payload = invite?.split('.')[1];
  if (payload === undefined) return '';
  try {
    return payloadSchema.safeParse(jsonOf(payload)).data?.email ?? '';
  } catch {
    return '';
  }
}
