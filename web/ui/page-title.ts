import { useEffect } from 'react';
import { usePublicConfig } from '../lib/public-config.ts';

let isFirstPage = true;

/**
 * Gives the document its title: what the page is, then whose it is. After a change of page that left focus nowhere, it also
 * moves focus to the page's `h1` with tabindex -1, else to its `main`, so that a screen reader says where one is and Tab goes on from there.
 */
export function usePageTitle(title?: string): void {
  const { product_name: productName } = usePublicConfig();
  useEffect(() => {
    document.title = title === undefined ? productName : `${title} · ${productName}`;
  }, [title, productName]);
  useEffect(() => {
    if (!isFirstPage && document.activeElement === document.body)
      (
        document.querySelector<HTMLElement>('h1[tabindex="-1"]') ??
        document.querySelector<HTMLElement>('main[tabindex="-1"]')
      )?.focus({ preventScroll: true });
    isFirstPage = false;
  }, []);
}
