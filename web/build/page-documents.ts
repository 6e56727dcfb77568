import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLACEHOLDERS } from '../../contract/pages.ts';

/**
 * Returns the shell with preload links for one page's code, so that the browser finds it without running the entry script
 * first.
 */
export function withPreloads(shell: string, files: readonly string[]): string {
  return completed(shell, [[/<\/head>/, `${preloads(shell, files).join('\n    ')}\n  </head>`]]);
}

/** Returns the HTML of an app page: with links that preload its code, and a skeleton that is shown until the app has rendered. */
export function skeletonDocument(shell: string, files: readonly string[], skeleton: string): string {
  const withSkeleton = completed(withPreloads(shell, files), [
    [/(?<=<div id="root"[^>]*><\/div>)/, skeleton],
  ]);
  return withLateScripts(withSkeleton);
}

/** Returns the shell of status pages, with the owner's title and description for link previews. */
export function statusDocument(shell: string, files: readonly string[]): string {
  const { statusTitle, productName, address } = PLACEHOLDERS;
  const description = `Uptime and certificate expiry: ${statusTitle}`;
  const head = [
    ...preloads(shell, files),
    `<link rel="canonical" href="${address}">`,
    `<link rel="alternate" type="application/atom+xml" href="${address}/feed.atom" title="${statusTitle}">`,
    `<meta property="og:type" content="website">`,
    `<meta property="og:site_name" content="${productName}">`,
    `<meta property="og:title" content="${statusTitle}">`,
    `<meta property="og:description" content="${description}">`,
    `<meta property="og:url" content="${address}">`,
  ];
  return completed(shell, [
    [/<title>[^<]*<\/title>/, `<title>${statusTitle} · ${productName}</title>`],
    [
      /<meta\s+name="description"\s+content="[^"]*"\s*\/?>/,
      `<meta name="description" content="${description}">`,
    ],
    [/<\/head>/, `${head.join('\n    ')}\n  </head>`],
  ]);
}

interface Parts {
  /** Title of the page, without the product's name. */
  title: string;
  body: string;
  /** True if the page needs scripts. Browsers that run none then show a message about it. */
  needsScript: boolean;
  style: string;
  files: readonly string[];
}

/** Returns the shell completed to a prerendered page: with its text, metadata for search engines, and preload links. */
export function prerenderedDocument(
  shell: string,
  { title, body, needsScript, style, files }: Parts,
): string {
  const description = /<meta\s+name="description"\s+content="([^"]*)"/.exec(shell)?.[1] ?? '';
  const wholeTitle = `${title} · ${PLACEHOLDERS.productName}`;
  const head = [
    // Without this, centred content would jump while the rest of the document is still being parsed.
    '<link rel="expect" href="#root" blocking="render">',
    ...preloads(shell, files),
    `<link rel="canonical" href="${PLACEHOLDERS.address}">`,
    `<meta property="og:type" content="website">`,
    `<meta property="og:site_name" content="${PLACEHOLDERS.productName}">`,
    `<meta property="og:title" content="${wholeTitle}">`,
    `<meta property="og:description" content="${description}">`,
    `<meta property="og:url" content="${PLACEHOLDERS.address}">`,
    `<noscript><style>${style}</style></noscript>`,
  ];
  const document = completed(shell, [
    [/<title>[^<]*<\/title>/, `<title>${wholeTitle}</title>`],
    ...(needsScript ? [] : [[/<noscript>This page needs JavaScript\.<\/noscript>/, ''] as const]),
    [/<\/head>/, `${head.join('\n    ')}\n  </head>`],
    [/(?<=<div id="root"[^>]*>)(?=<\/div>)/, body],
  ]);
  return withLateScripts(document);
}

/** Moves the style sheet and the font to the front, because they block the first paint. */
function withLateScripts(document: string): string {
  return document.replaceAll(/<(?:script type="module"|link rel="modulepreload")/g, '$& fetchpriority="low"');
}

function preloads(shell: string, files: readonly string[]): string[] {
  return files
    .filter((file) => !shell.includes(`"/${file}"`))
    .map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`);
}

function completed(shell: string, replaced: readonly (readonly [from: RegExp, to: string])[]): string {
  return replaced.reduce((html, [from, to]) => {
    if (!from.test(html)) throw new Error(`index.html has no ${String(from)} to complete`);
    return html.replace(from, () => to);
  }, shell);
}

/** Returns the style for browsers without scripts: the system's theme, and hidden controls that need a script. */
export async function styleWithoutScript(root: string): Promise<string> {
  const tokens = await readFile(join(root, 'styles', 'tokens.css'), 'utf8');
  const dark = [...tokens.matchAll(/^\s*\[data-theme='dark'\] \{([^}]*)\}/gm)].map(([, block]) => block);
  if (dark.length === 0) throw new Error('tokens.css has no dark theme');
  const declarations = dark.join('').replaceAll(/\s+/g, ' ').trim();
  return `@media screen and (prefers-color-scheme: dark) and (forced-colors: none) {:root { ${declarations} }} [data-needs-script] { display: none }`;
}
