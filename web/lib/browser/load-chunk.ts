import { health } from '../../../contract/calls/deployment.ts';
import { send } from '../http.ts';

const RELOADED_FOR = 'certlantern-reloaded-for';

/**
 * Imports a lazy chunk. If the server is up but the file is gone, as after a deployment, reloads the page, at most once per
 * missing file. Rejects if the server cannot be reached or a reload did not help.
 */
export async function loadChunk<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (error) {
    const missing = error instanceof Error ? error.message : '';
    if (sessionStorage.getItem(RELOADED_FOR) === missing || !(await isServerThere())) throw error;
    sessionStorage.setItem(RELOADED_FOR, missing);
    window.location.reload();
    return new Promise(() => undefined);
  }
}

/**
 * Imports the chunk of a route. The router reloads the page after a failed import, which without a network would leave a
 * blank tab. So an offline failure is rethrown as an error that the router does not recognise.
 */
export async function loadPage<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (error) {
    throw (await isServerThere()) ? error : new Error('Could not load the page.', { cause: error });
  }
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await send(health)).ok;
  } catch {
    return false;
  }
}

/** Calls `act` once the pointer or the focus moves or somebody taps, to load what people may need next. Returns a function that cancels. */
export function onFirstMove(act: () => void): () => void {
  const stop = new AbortController();
  const actOnce = (): void => {
    stop.abort();
    act();
  };
  // `pointerover` does not suit: a resting pointer causes it too when the page draws something below it.
  for (const event of ['pointermove', 'pointerdown', 'focusin'])
    document.addEventListener(event, actOnce, { signal: stop.signal });
  return () => stop.abort();
}
