const DEADLINE_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/**
 * Fetch for the few addresses that the operator names (an OpenID provider, Google): no redirects, the whole answer within
 * five seconds and 256 kB. @throws when it does not come so; a status that is no success is an answer.
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
