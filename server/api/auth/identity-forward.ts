import { z } from 'zod';
import { OIDC_FAILURES } from '../../../contract/oidc-failure.ts';
import type { ProblemCode } from '../../../contract/problem.ts';
import { WEAK_PASSWORD_CODES } from '../../providers/identity/library-options.ts';
import type { PasswordWeakness } from '../../providers/identity/weak-password.ts';
import { isForeignKeyViolation } from '../../store/db/dialect.ts';
import type { AppParts } from '../http/api.ts';
import type { AppContext } from '../http/app-env.ts';
import { type Refusal, refuse } from '../http/problem.ts';

type Failure = readonly [ProblemCode, string];

/**
 * Creates a function that forwards a request to the built-in provider's library, rebuilt from its URL, its cookies and the
 * parsed body, so that no other header or field reaches the library. Sets the library's cookies on our response.
 */
export function createRequestForwarder({ identity, config }: Pick<AppParts, 'identity' | 'config'>) {
  return async (c: AppContext, body?: object): Promise<Response> => {
    const headers = new Headers({ accept: 'application/json' });
    const cookie = c.req.header('cookie');
    if (cookie !== undefined) headers.set('cookie', cookie);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const { pathname, search } = new URL(c.req.url);
    const request = new Request(new URL(pathname + search, config.publicUrl), {
      method: c.req.method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await identity.handler(request).catch(answerMissingUser);
    for (const setCookie of response.headers.getSetCookie())
      c.header('Set-Cookie', setCookie, { append: true });
    c.header('Cache-Control', 'no-store');
    return response;
  };
}

/** Removes the session and its token from a response body: only the HttpOnly cookie may have it, hidden from scripts. */
function withoutSession(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'token' && key !== 'session'));
}

/**
 * Returns a 401 response for a foreign key violation, because it means that the user was replaced or deleted while the request
 * ran. Rethrows all other errors.
 */
function answerMissingUser(error: unknown): Response {
  if (!isForeignKeyViolation(error)) throw error;
  return Response.json({ code: 'UNAUTHORIZED' }, { status: 401 });
}

const failureSchema = z.object({ code: z.string().optional(), message: z.string().optional() });

export const WEAK_PASSWORD: Record<PasswordWeakness, Failure> = {
  known: ['password_breached', 'This password is known from data breaches. Please choose another one.'],
  personal: [
    'password_breached',
    'This password is your name or address, or the name of this product. Please choose another one.',
  ],
};

const TAKEN: Failure = ['email_taken', 'This address already has an account. Log in instead.'];
const SIGN_IN_AGAIN: Failure = ['not_authenticated', 'Please log in again.'];
const WRONG_CODE: Failure = ['invalid_code', 'The code is wrong or was already used.'];
const NO_CODES: Failure = ['invalid_request', 'One-time codes are not set up for this account.'];

/** Refusals by error code of the library or of our plugins. Any other code means a bug, or an invalid request. */
const FAILURES: Record<string, Failure> = {
  INVALID_EMAIL_OR_PASSWORD: ['invalid_credentials', 'Wrong email or password.'],
  INVALID_PASSWORD: ['invalid_credentials', 'The password is wrong.'],
  USER_ALREADY_EXISTS: TAKEN,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: TAKEN,
  // Two simultaneous sign-ups violated the unique key on addresses.
  FAILED_TO_CREATE_USER: TAKEN,
  [WEAK_PASSWORD_CODES.known]: WEAK_PASSWORD.known,
  [WEAK_PASSWORD_CODES.personal]: WEAK_PASSWORD.personal,
  IDENTITY_UNAVAILABLE: ['identity_unavailable', OIDC_FAILURES.unavailable],
  INVALID_CODE: WRONG_CODE,
  INVALID_BACKUP_CODE: WRONG_CODE,
  // After five wrong codes the sign-in has to start again.
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: SIGN_IN_AGAIN,
  INVALID_TWO_FACTOR_COOKIE: SIGN_IN_AGAIN,
  // The provider has no session for this request.
  UNAUTHORIZED: SIGN_IN_AGAIN,
  TOTP_ALREADY_ENABLED: ['invalid_request', 'One-time codes are already set up.'],
  TOTP_NOT_ENABLED: NO_CODES,
  BACKUP_CODES_NOT_ENABLED: NO_CODES,
  FAILED_TO_VERIFY_REGISTRATION: ['invalid_request', 'The passkey was not accepted. Try again.'],
};

/**
 * Returns the library's successful response without session tokens. Maps a failure to a refusal: by its code if known, else to
 * `otherwise` if given, else by its status. @throws Error for a 5xx response with an unknown code
 */
export async function passAnswerOn(
  c: AppContext,
  response: Response,
  otherwise?: Failure,
): Promise<Response | Refusal> {
  const text = await response.text();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (response.ok) return c.json(withoutSession(body));
  const { code = '', message } = failureSchema.parse(body);
  const known = FAILURES[code];
  if (known !== undefined) return refuse(...known);
  if (response.status >= 500) throw new Error(`The identity provider answered ${response.status} ${code}`);
  if (otherwise !== undefined) return refuse(...otherwise);
  if (response.status === 404) return refuse('not_found', 'Nothing was found for this request.');
  if (response.status === 401) return refuse('not_authenticated', 'Please log in.');
  return refuse('invalid_request', message ?? 'The request is not valid.');
}
