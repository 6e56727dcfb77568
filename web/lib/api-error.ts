import type { ProblemCode } from '../../contract/problem.ts';

const STANDARD_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Returns the standard phrase of a status. HTTP/2 has no status text. */
export function standardPhrase(status: number): string {
  return STANDARD_PHRASES[status] ?? `HTTP status ${status}`;
}

/** A call that did not succeed; `status` is 0 if there was no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ProblemCode | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    message: string,
    details: {
      status: number;
      code?: ProblemCode | null;
      retryAfterSeconds?: number | null;
      cause?: unknown;
    },
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.code = details.code ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** Returns the message of anything thrown, with or without a full stop. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong';
}

/** Returns the message as a sentence, with a full stop. */
export function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
