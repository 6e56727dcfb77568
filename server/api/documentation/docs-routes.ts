import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, AppParts } from '../http/api.ts';
import { docsPage, type OpenApiDocument } from './docs-page.ts';
import { memoize, pageDocument } from '../http/page-document.ts';
import { openApiDocument } from './openapi.ts';

/** Serves the OpenAPI document for programs, and the reference page for people. */
export function docsRoutes({ app }: Api, { sessions, config, webRoot }: AppParts): void {
  const document = memoize(() => openApiDocument(sessions.cookieName));
  app.get('/api/openapi.json', (c) => c.json(document()));

  const page = memoize(async () => {
    const text = await docsPage({
      document: document() as OpenApiDocument,
      productName: config.productName,
      origin: config.publicUrl.origin,
      head: styleLinks(webRoot),
    });
    return pageDocument(text.toString());
  });
  app.get('/api/docs', async (c) => (await page())(c));
}

/** Returns the built web app's links to its stylesheet and font; empty if it is not built. */
function styleLinks(webRoot: string): string {
  const index = join(webRoot, 'index.html');
  if (!existsSync(index)) return '';
  const links = readFileSync(index, 'utf8').match(/<link\b[^<>]*>/g) ?? [];
  return links.filter((link) => /rel="stylesheet"|as="font"/.test(link)).join('\n');
}
