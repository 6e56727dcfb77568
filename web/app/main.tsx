import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { adoptPublicConfig, readPublicConfig } from '../lib/public-config.ts';
import { createQueryClient } from '../lib/query-client.ts';
import { Providers } from './providers.tsx';
import { createAppRouter } from './router.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const queryClient = createQueryClient();
const router = createAppRouter({ queryClient });
const page = (
  <StrictMode>
    <Providers queryClient={queryClient} router={router} />
  </StrictMode>
);

const config = readPublicConfig(root.dataset['config']);
if (config) {
  // The page is here as HTML already. It stays as it is until its code can take it over whole.
  adoptPublicConfig(queryClient, config);
  router.ssr = { manifest: undefined };
  void router.load().then(() => hydrateRoot(root, page));
} else {
  createRoot(root).render(page);
}
