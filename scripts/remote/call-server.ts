import { z } from 'zod';
import type { Call } from '../../contract/calls/call.ts';
import { UsageError } from '../check/arguments.ts';

const problemSchema = z.object({ detail: z.string() });
const TIMEOUT_MS = 30_000;
/** Longest time, in seconds, that a server may make us wait before we repeat a call. */
const MAX_WAIT_S = 90;

export const SERVER_VARIABLES = 'CERTLANTERN_URL and CERTLANTERN_TOKEN';
/** The help text of the variables that `serverOf` reads. */
export const SERVER_HELP = `CERTLANTERN_URL     address of the server, for example https://certs.example
CERTLANTERN_TOKEN   personal token of the account`;

export interface Server {
  url: URL;
  token: string;
}

/** Returns the server that the environment names; null if it names none. @throws UsageError if only one variable is set */
export function serverOf({
  CERTLANTERN_URL: address,
  CERTLANTERN_TOKEN: token,
}: NodeJS.ProcessEnv): Server | null {
  if (!address && !token) return null;
  if (!address || !token) throw new UsageError(`Set ${SERVER_VARIABLES}.`);
  if (!URL.canParse(address)) throw new UsageError('CERTLANTERN_URL is not a URL.');
  return { url: new URL(address), token };
}

/** A call that failed. `isUnreachable` is true if no answer came. */
export class CallError extends Error {
  override name = 'CallError';
  readonly isUnreachable: boolean;

  constructor(message: string, isUnreachable = false) {
    super(message);
    this.isUnreachable = isUnreachable;
  }
}

/** A call that answers `{ data }`. */
type DataCall = Call & { body: z.ZodType; response: z.ZodType<{ data: unknown }> };

/** Makes a call and returns the data of its answer. Waits if the server asks for it. @throws CallError */
export async function callServer<C extends DataCall>(
  { url, token }: Server,
  call: C,
  body: z.input<C['body']>,
): Promise<z.output<C['response']>['data']> {
  for (;;) {
    const response = await fetch(new URL(`/api${call.path}`, url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new CallError(`${url.host} could not be reached.`, true);
    });
    const answer: unknown = await response.json().catch(() => null);
    const read = call.response.safeParse(answer);
    if (response.ok && read.success) return read.data.data;
    const waitSeconds = Number(response.headers.get('retry-after') ?? NaN);
    if (response.status !== 429 || !(waitSeconds <= MAX_WAIT_S)) {
      const detail =
        problemSchema.safeParse(answer).data?.detail ?? 'This is probably not a Certlantern server.';
      throw new CallError(`The server answered with status ${response.status}: ${detail}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Math.max(1, waitSeconds)));
  }
}
