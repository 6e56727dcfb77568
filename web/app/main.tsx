import { type ReactNode, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import type { PublicConfig } from '../../contract/public-config.ts';
import { PublicConfigContext } from '../lib/public-config.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
void start(root);

async function start(root: HTMLElement): Promise<void> {
  // The server that sent this document wrote its settings into it.
  const config = JSON.parse(root.dataset['config'] ?? '') as PublicConfig;
  const isPrerendered = root.hasChildNodes();
  // A prerendered page keeps its HTML unchanged until React can hydrate the whole page.
  const page = await loadPage(isPrerendered);
  const document = (
    <StrictMode>
      <PublicConfigContext value={config}>{page}</PublicConfigContext>
    </StrictMode>
  );
  if (isPrerendered) hydrateRoot(root, document);
  else createRoot(root).render(document);
}

async function loadPage(isPrerendered: boolean): Promise<ReactNode> {
  // The server accepts the landing page's path in any case and with slashes at its end.
  if (/^\/landing\/*$/i.test(window.location.pathname)) {
    const { Landing } = await import('./landing.tsx');
    return <Landing />;
  }
  const { createPages } = await import('./router.tsx');
  return createPages(isPrerendered);
}
