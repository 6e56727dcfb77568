const KEY = 'pendingPurchase';
/** How long the page waits for the payment provider's news of a paid checkout. */
export const PURCHASE_PATIENCE_MS = 30_000;

/**
 * When a checkout was completed (ms UTC) whose Premium has not shown yet, else null. It lives in the tab, because the
 * checkout leaves by loading the dashboard anew.
 */
export function pendingPurchase(): number | null {
  const completedAt = Number(read());
  return completedAt > Date.now() - PURCHASE_PATIENCE_MS ? completedAt : null;
}

export function rememberPurchase(completedAt: number | null): void {
  try {
    if (completedAt === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, String(completedAt));
  } catch {
    // Storage is switched off: the wait then ends with the page.
  }
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
