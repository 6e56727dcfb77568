import { z } from 'zod';
import { CALLS } from '../../../contract/calls.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import { isInvited } from '../../providers/identity/index.ts';
import type { Api, AppParts } from '../api.ts';
import type { AppContext } from '../app-env.ts';
import { refuse, Refusal } from '../problem.ts';
import { beginSignIn, countSignUp } from '../rate-limit.ts';

/**
 * The built-in provider's routes, guarded. The provider sees a request made here, of what the contract names and
 * nothing else: no foreign header or field reaches its library.
 */
export function identityRoutes(api: Api, parts: AppParts): void {
  const { store, identity, config, secrets } = parts;

  async function forward(c: AppContext, body?: object): Promise<Response> {
    const headers = new Headers({ accept: 'application/json' });
    const cookie = c.req.header('cookie');
    if (cookie !== undefined) headers.set('cookie', cookie);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const response = await identity.handler(
      new Request(new URL(c.req.path, config.publicUrl), {
        method: c.req.method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    for (const setCookie of response.headers.getSetCookie())
      c.header('Set-Cookie', setCookie, { append: true });
    c.header('Cache-Control', 'no-store');
    return response;
  }

  api.on(CALLS.signUp, async ({ c, body, now }) => {
    const limited = await countSignUp(store, c.get('client'), now);
    if (limited) return limited;
    const { invite, ...person } = body;
    if (config.signups === 'closed') return refuse('signups_closed', 'New accounts cannot be created here.');
    const invited =
      config.signups === 'open' ||
      (await isInvited(invite ?? c.req.header('x-invite') ?? '', {
        email: person.email,
        secret: secrets.invite,
        now,
      }));
    if (!invited)
      return refuse(
        'signups_closed',
        'Sign-up is by invitation. Use the link in your invitation, with its address.',
      );
    return passOn(c, await forward(c, person));
  });

  api.on(CALLS.signIn, async ({ c, body, now }) => {
    const attempt = await beginSignIn(store, { email: body.email, client: c.get('client'), now });
    if (attempt instanceof Refusal) return attempt;
    const response = await forward(c, body);
    if (response.ok) await attempt.succeeded();
    return passOn(c, response);
  });

  api.on(CALLS.signOut, async ({ c }) => passOn(c, await forward(c, {})));
  api.on(CALLS.identityToken, async ({ c }) => passOn(c, await forward(c)));
  api.on(CALLS.identityKeys, async ({ c }) => passOn(c, await forward(c)));
}

const failureSchema = z.object({ code: z.string().optional(), message: z.string().optional() });

/** Codes of the library, and ours. What is not here is a fault of ours or of the request. */
const PROBLEM_OF: Record<string, [ProblemCode, string]> = {
  INVALID_EMAIL_OR_PASSWORD: ['invalid_credentials', 'Email or password is not right.'],
  USER_ALREADY_EXISTS: ['email_taken', 'This address already has an account. Log in instead.'],
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: [
    'email_taken',
    'This address already has an account. Log in instead.',
  ],
  // The unique key on addresses, met by two sign-ups at once.
  FAILED_TO_CREATE_USER: ['email_taken', 'This address already has an account. Log in instead.'],
};

/** The library's answer as it is where it is a success, else as a problem like every other failure. */
async function passOn(c: AppContext, response: Response): Promise<Response | Refusal> {
  const body: unknown = await response.json();
  if (response.ok) return c.json(body);
  if (response.status >= 500) throw new Error(`The identity provider answered ${response.status}`);
  const { code, message } = failureSchema.parse(body);
  const known = PROBLEM_OF[code ?? ''];
  if (known) return refuse(...known);
  if (response.status === 401) return refuse('not_authenticated', 'Please sign in.');
  return refuse('invalid_request', message ?? 'The request is not valid.');
}
