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
  // The HTML of a prerendered page stays unchanged until React can hydrate all of it.
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
  // The server accepts a path in any case and with a slash at its end.
  if (/^\/landing\/*$/i.test(window.location.pathname)) {
    const { Landing } = await import('./landing.tsx');
    return <Landing />;
  }
  const { createPages } = await import('./router.tsx');
  return createPages(isPrerendered);
}
