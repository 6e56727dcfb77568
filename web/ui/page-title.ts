import { useEffect } from 'react';
import { usePublicConfig } from '../lib/public-config.ts';

/** The document's title: what the page is, then whose it is. */
export function usePageTitle(title?: string): void {
  const { product_name: productName } = usePublicConfig();
  useEffect(() => {
    document.title = title === undefined ? productName : `${title} · ${productName}`;
  }, [title, productName]);
}
