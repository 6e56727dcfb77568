const DEADLINE_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/**
 * Fetches from an identity provider that the operator configured (OpenID, Firebase): no redirects, at most 5 s and 256 kB.
 * Returns responses of any status. @throws Error if the server is unreachable, redirects or exceeds a limit.
 */
export async function boundedFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, {
    ...init,
    redirect: 'error',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`${new URL(url).origin} sent more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(new Blob(chunks), { status: response.status, headers: response.headers });
}
