import { useEffect } from 'react';
import { usePublicConfig } from '../lib/public-config.ts';

let isFirstPage = true;

/**
 * Sets the document's title. If no element has the focus after a navigation, focuses the page's `h1` with tabindex -1, else
 * its `main`, so that a screen reader announces the page and the Tab key continues there.
 */
export function usePageTitle(title?: string): void {
  const { product_name: productName } = usePublicConfig();
  useEffect(() => {
    document.title = title === undefined ? productName : `${title} · ${productName}`;
  }, [title, productName]);
  useEffect(() => {
    // The page has rendered, so the skeleton is no longer needed.
    document.querySelector('[data-skeleton]')?.remove();
    if (!isFirstPage && document.activeElement === document.body)
      (
        document.querySelector<HTMLElement>('h1[tabindex="-1"]') ??
        document.querySelector<HTMLElement>('main[tabindex="-1"]')
      )?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
}
