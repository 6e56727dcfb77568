import { send } from './http.ts';

const RELOADED_FOR = 'certlantern-reloaded-for';

/**
 * Loads code of a part that the page did not start with. Where the server answers but no longer has the file, as after an update,
 * reloads the page, once for each missing file. Rejects where the server cannot be reached, or reloading did not help.
 */
export async function loadPart<Code>(load: () => Promise<Code>): Promise<Code> {
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
 * Loads the code of a whole page. The router reloads for a missing file by itself, but also where there is no network, after which
 * nothing would be left to read. So the error is another one then.
 */
export async function loadPage<Code>(load: () => Promise<Code>): Promise<Code> {
  try {
    return await load();
  } catch (error) {
    throw (await isServerThere()) ? error : new Error('The page could not be loaded.', { cause: error });
  }
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await send('/api/health')).ok;
  } catch {
    return false;
  }
}
