/**
 * Returns whether an HTTP status means that the service is up. Without an expectation of its own (null) every status from 100 to
 * 999 does, also 404 and the 999 that LinkedIn sends to robots, except the server errors 500 to 599 (RFC 9110 §15.6).
 */
export function isExpectedStatus(status: number, expected: null): boolean {
  return expected ?? (status < 500 || status > 599);
}
