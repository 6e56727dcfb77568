import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './web/build/after-build.ts';
import { prerenderPages } from './web/build/prerender-plugin.ts';
import { slimModules } from './web/build/slim-modules.ts';
import { thirdPartyNotices } from './web/build/third-party-notices.ts';

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss(), slimModules(), prerenderPages(), thirdPartyNotices(), precompress()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An inlined font or image would be a `data:` URL, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Each file costs a request, which is slowest over HTTP/1.1. So there is one file with everything that all pages
        // need, and small modules that several pages share are merged.
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'], priority: 3 },
            // The icons of password fields. Merged with others, they would make the login load those of all channels.
            { name: 'password', test: /lucide-react.*icons.(eye|eye-off)\./, priority: 2 },
            {
              name: 'icons',
              test: /lucide-react/,
              priority: 1,
              entriesAware: true,
              entriesAwareMergeThreshold: 4000,
            },
            // Small modules of many pages. Merged with others, they would make a page load those too: base64url came with the menus.
            {
              name: 'page',
              test: /contract.(words|durations)\.|web.(app.page-frame|lib.(format|use-now|use-hydrated|api-error|browser.(preference|base64url))|ui.(logo|class-names|page-title|header-slot|badge|glyph|button|horizon.day-ruler)\.)/,
              priority: 2,
            },
            // The router with its libraries, and what every form checks text with, for every page but the landing page.
            { name: 'router', test: /web.app.router\.|contract.text\./, priority: 1 },
            // Modules of settings pages only. In a chunk with schemas, every page that needs a schema would load them.
            {
              name: 'settings',
              test: /web.ui.form.(row|checkbox|checkbox-line|use-kept-focus)\./,
              priority: 1,
            },
            // The session imports it. In a chunk with the forms that import the session, the two chunks would import each other.
            { name: 'identity', test: /web.features.session.identity.load-identity\./, priority: 1 },
            // Higher thresholds give fewer files, but pages load more that they do not need. With 4500 two chunks import each other, and no
            // page with both starts.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 2300 },
          ],
        },
        // By default, the name of a shared chunk lists all modules that share it.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
      },
    },
  },
});
