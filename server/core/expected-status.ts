/**
 * Returns whether an answer with this HTTP status shows that the service is up. Without an expectation of its own (null), a
 * domain is up with every status from 100 to 999 except the server errors 500 to 599 (RFC 9110 §15.6): redirects, 401, 404 and
 * codes of no registered class, such as the 999 that LinkedIn sends to robots, are answers of a working server.
 */
export function isExpectedStatus(status: number, expected: null): boolean {
  return expected ?? (status < 500 || status > 599);
}
