/**
 * How certificates of the operator's own mail servers are looked at. One on this very machine shows a certificate that nobody
 * signed; what goes to it never leaves the machine. `hostname` as in a URL.
 */
export function mailServerTls(hostname: string): { rejectUnauthorized: boolean } {
  return { rejectUnauthorized: !/^(localhost|\[?::1\]?|127(\.\d{1,3}){3})$/i.test(hostname) };
}
