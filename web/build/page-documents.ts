import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLACEHOLDERS } from '../../contract/pages.ts';

/** The shell of all pages with the code of one of them on the way: else its address is known only to what comes before it. */
export function preloading(shell: string, files: readonly string[]): string {
  return completed(shell, [[/<\/head>/, `${preloads(shell, files).join('\n    ')}\n  </head>`]]);
}

/** The shell of status pages, which is called what its owner calls it, also where a link to it is shown. */
export function statusDocument(shell: string, files: readonly string[]): string {
  const { statusTitle, productName, address } = PLACEHOLDERS;
  const description = `Whether it is up, and for how long its certificates are valid: ${statusTitle}`;
  const head = [
    ...preloads(shell, files),
    `<link rel="canonical" href="${address}">`,
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
  /** Without the product's name. */
  title: string;
  body: string;
  /** It cannot be used without, and says so. */
  needsScript: boolean;
  style: string;
  files: readonly string[];
}

/** The shell, completed to a page that can be read at once: with its text, what search engines ask for, and its code on the way. */
export function drawnDocument(shell: string, { title, body, needsScript, style, files }: Parts): string {
  const description = /<meta\s+name="description"\s+content="([^"]*)"/.exec(shell)?.[1] ?? '';
  const wholeTitle = `${title} · ${PLACEHOLDERS.productName}`;
  const head = [
    // Painted before all of it is read, what stands in the middle of the page would jump.
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
    // Its settings stand in the page itself.
    [/<!--[^>]*-->\s*<link\b[^>]*\/api\/config[^>]*>/, ''],
    ...(needsScript ? [] : [[/<noscript>This page needs JavaScript\.<\/noscript>/, ''] as const]),
    [/<\/head>/, `${head.join('\n    ')}\n  </head>`],
    [/<div id="root"><\/div>/, `<div id="root" data-config="${PLACEHOLDERS.config}">${body}</div>`],
  ]);
  // Style and font come first: they are what is still missing to the sight of it.
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

/** Without a script nothing sets the theme, and what needs one is of no use: the system's theme, and the text alone. */
export async function styleWithoutScript(root: string): Promise<string> {
  const tokens = await readFile(join(root, 'styles', 'tokens.css'), 'utf8');
  const dark = [...tokens.matchAll(/^\[data-theme='dark'\] \{([^}]*)\}/gm)].map(([, block]) => block);
  if (dark.length === 0) throw new Error('tokens.css has no dark theme');
  const declarations = dark.join('').replaceAll(/\s+/g, ' ').trim();
  return `@media (prefers-color-scheme: dark) and (forced-colors: none) {:root { ${declarations} }} [data-needs-script] { display: none }`;
}
