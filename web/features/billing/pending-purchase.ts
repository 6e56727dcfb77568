const KEY = 'pendingPurchase';
/** How long the page waits for Premium after a paid checkout. */
export const PURCHASE_TIMEOUT_MS = 30_000;

/**
 * Returns when a checkout was completed (ms UTC) if Premium has not shown since; else null. Stored for this tab, because the
 * checkout ends by reloading the dashboard.
 */
export function pendingPurchase(): number | null {
  const completedAt = Number(read());
  return completedAt > Date.now() - PURCHASE_TIMEOUT_MS ? completedAt : null;
}

export function rememberPurchase(completedAt: number | null): void {
  try {
    if (completedAt === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, String(completedAt));
  } catch {
    // If storage is blocked, the wait ends when the page closes.
  }
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
