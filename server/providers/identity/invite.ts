import { errors, jwtVerify, SignJWT } from 'jose';

export const INVITE_DAYS = 14;
const AUDIENCE = 'certlantern-invite';

const keyOf = (secret: string) => new TextEncoder().encode(secret);

/** Creates a code that lets one address sign up by invitation for `INVITE_DAYS`. `now` is ms UTC. */
export function createInvite(email: string, secret: string, now: number): Promise<string> {
  const issuedAt = Math.floor(now / 1000);
  return new SignJWT({ email: email.toLowerCase() })
    .setProtectedHeader({ alg: 'HS256' })
    .setAudience(AUDIENCE)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + INVITE_DAYS * 86_400)
    .sign(keyOf(secret));
}

/** Returns whether `code` was created with `secret` for this address and has not expired. */
async function isInvited(
  code: string,
  { email, secret, now }: { email: string; secret: string; now: number },
): Promise<boolean> {
  try {
    const { payload } = await jwtVerify(code, keyOf(secret), {
      audience: AUDIENCE,
      algorithms: ['HS256'],
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return payload['email'] === email.toLowerCase();
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

export type SignUpDecision = 'allowed' | 'signups_closed' | 'invitation_needed';

/** Returns a function that decides whether an address without an account may sign up, with an optional invitation. */
export function signUpPolicy({
  signups,
  secret,
  now,
}: {
  signups: 'open' | 'invite' | 'closed';
  secret: string;
  /** Clock, ms UTC. */
  now: () => number;
}): (email: string, invite: string | undefined) => Promise<SignUpDecision> {
  return async (email, invite) => {
    if (signups === 'open') return 'allowed';
    if (signups === 'closed') return 'signups_closed';
    const invited = await isInvited(invite ?? '', { email, secret, now: now() });
    return invited ? 'allowed' : 'invitation_needed';
  };
}
