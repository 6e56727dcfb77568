import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api, AppParts } from '../http/api.ts';
import { escapeHtml, memoize, pageDocument } from '../http/page-document.ts';
import { openApiDocument } from './openapi.ts';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { fieldsOf, type Schema, type SchemaField } from './docs-schema.ts';
import { DOCS_STYLE } from './docs-style.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Parts of an OpenAPI 3.1 document that the page shows. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

export interface Route extends Operation {
  method: string;
  path: string;
}

interface PageOptions {
  document: OpenApiDocument;
  productName: string;
  /** Origin of the deployment's public URL. */
  origin: string;
  /** HTML for the head: links to the built stylesheet and font; empty if the web app is not built. */
  head: string;
}

/** Renders the named schemas of the document. Calls link to them. */
function shapes({ components: { schemas } }: OpenApiDocument): Html {
  return html`<section aria-labelledby="shapes">
    <h2 id="shapes">Schemas</h2>
    ${Object.entries(schemas).map(
      ([name, schema]) =>
        html`<article id="shape-${name}">
          <h3><code>${name}</code></h3>
          ${tree(fieldsOf(name, schema).fields)}
        </article>`,
    )}
  </section>`;
}

/** Tags that the page shows first, because programs need them most. All other tags follow in the document's order. */
const ORDER = ['domain', 'channels', 'deliveries', 'alerts', 'maintenance', 'incidents', 'account', 'user'];
const TITLES: Record<string, string> = {
  domain: 'Domains',
  user: 'Your account',
  account: 'Prometheus metrics',
  user_feedback: 'Feedback',
  auth: 'Browser sessions',
  identity: 'Signing in',
  payment: 'Payment',
  try: 'Preview check',
  'status-page': 'Status page',
  status: 'Public status pages',
  calendar: 'Calendar',
  config: 'Deployment settings',
};

/** Renders the API reference from its OpenAPI document: one HTML page that works without scripts. */
function docsPage({ document, productName, origin, head }: PageOptions): Html {
  const groups = groupsOf(document);
  return html`<!doctype html>
    <html lang="en" data-theme="light">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>API · ${productName}</title>
        <meta name="description" content="Every call of the HTTP API of ${productName}, with examples." />
        <meta name="theme-color" content="#ffffff" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${raw(head)}
        <style>
          ${raw(DOCS_STYLE)}
        </style>
        <script src="/theme.js"></script>
      </head>
      <body class="docs">
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <div class="bar">
            <a class="brand" href="/"
              ><img src="/favicon.svg" alt="" width="22" height="22" />${productName}</a
            >
            <a href="/profile#api-tokens">Your tokens</a>
            <a href="/api/openapi.json">openapi.json</a>
          </div>
        </header>
        <div class="columns">
          <nav aria-label="Calls">
            <ul>
              ${groups.map(({ tag, title }) => html`<li><a href="#calls-${tag}">${title}</a></li>`)}
              <li><a href="#shapes">Schemas</a></li>
            </ul>
          </nav>
          <main id="content">
            ${introduction(origin, productName)}
            ${groups.map(
              ({ tag, title, routes }) =>
                html`<section aria-labelledby="calls-${tag}">
                  <h2 id="calls-${tag}">${title}</h2>
                  ${routes.map((route) => call(route, origin))}
                </section>`,
            )}
            ${shapes(document)}
          </main>
        </div>
      </body>
    </html>`;
}

function groupsOf({ paths }: OpenApiDocument) {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const rank = (tag: string) => (ORDER.includes(tag) ? ORDER.indexOf(tag) : ORDER.length);
  return [...Map.groupBy(routes, ({ tags }) => tags[0] ?? '')]
    .map(([tag, ofTag]) => ({
      tag,
      title: TITLES[tag] ?? tag.replace(/^./, (l) => l.toUpperCase()),
      routes: ofTag,
    }))
    .toSorted((a, b) => rank(a.tag) - rank(b.tag));
}

function introduction(origin: string, productName: string): Html {
  return html`<h1>API</h1>
    <p class="lead">
      The web pages of ${productName} use this API for everything, so a script can do the same. Create a token
      under <a href="/profile#api-tokens">API tokens</a> on your profile page, and send it with each call:
    </p>
    <pre tabindex="0"><code>export TOKEN=clt_…
curl --header "Authorization: Bearer $TOKEN" ${origin}/api/domain/list</code></pre>
    <dl class="rules">
      <dt>Scopes</dt>
      <dd>
        <code>read</code> allows reading, <code>write</code> allows changes, and <code>metrics</code> allows
        only reading the Prometheus metrics (<code>read</code> includes that). No token can manage tokens,
        sessions, sign-in methods or payment, or delete the account.
      </dd>
      <dt>Responses</dt>
      <dd>
        JSON with the result in <code>data</code>; names in snake_case, times in ISO 8601 and UTC. Errors are
        <code>application/problem+json</code>: programs should use <code>code</code> to tell them apart.
      </dd>
      <dt>Limits</dt>
      <dd>
        600 calls a minute for each token. The header <code>RateLimit</code> of every response says how many
        are left. Beyond the limit, calls get 429 with <code>Retry-After</code>.
      </dd>
      <dt>Idempotency</dt>
      <dd>
        Calls that create something accept an <code>Idempotency-Key</code> of your choice. A call runs once
        per key within 24 hours; if you repeat it, you get the first response again, with <code>null</code> in
        place of secrets that are shown only once. Choose a key (<code>KEY=order-1</code>), keep it when you
        retry a call, and use a new one for each new call.
      </dd>
      <dt>Pagination</dt>
      <dd>
        Send <code>limit</code>, and pass <code>next_cursor</code> of each response as <code>cursor</code> of
        the next call until it is <code>null</code>. Entries that are added or removed meanwhile cause no
        duplicates or gaps.
      </dd>
    </dl>`;
}

function call(route: Route, origin: string): Html {
  const { operationId, method, path, summary, parameters = [], requestBody, responses } = route;
  const body = requestBody?.content['application/json'];
  const [status, success] = Object.entries(responses)[0] ?? [];
  const [type, answer] = Object.entries(success?.content ?? {})[0] ?? [];
  const problems = Object.entries(responses).slice(1);
  return html`<article id="${operationId}">
    <h3>
      <span class="method ${method}">${method.toUpperCase()}</span>
      <a href="#${operationId}"
        ><code>${raw(path.replaceAll('/', '/<wbr>').replaceAll('_', '_<wbr>'))}</code></a
      >
    </h3>
    <p>${withCode(summary)}.</p>
    <p class="who">${accessOf(route)}</p>
    ${isForTokens(route) ? html`<pre tabindex="0"><code>${curlOf(route, origin)}</code></pre>` : ''}
    ${
      parameters.length > 0
        ? fields(
            'Parameters',
            parameters.map((parameter) => ({
              ...fieldsOf(parameter.name, parameter.schema, 0),
              isOptional: parameter.required !== true,
              note: `in ${parameter.in}${parameter.description === undefined ? '' : `. ${parameter.description}`}`,
            })),
          )
        : ''
    }
    ${body ? fields('Body', fieldsOf('', body.schema).fields) : ''}
    ${
      answer && type === 'application/json'
        ? fields(`Response ${status}`, fieldsOf('', answer.schema).fields)
        : html`<p class="answer">
            Response ${status}${type === undefined ? '' : html`: <code>${type}</code>`}
          </p>`
    }
    <details>
      <summary>Errors<span class="hidden"> of ${operationId}</span></summary>
      <ul class="problems">
        ${problems.map(([code, { description }]) => html`<li><b>${code}</b> ${withCode(description)}</li>`)}
      </ul>
    </details>
  </article>`;
}

/** Turns the names of schemas in a type into links: outside of quotes, only these names begin with a capital letter. */
const withLinks = (type: string) =>
  raw(escapeHtml(type).replaceAll(/(?<!["\w;])[A-Z]\w+/g, '<a href="#shape-$&">$&</a>'));
const withCode = (text: string) => raw(escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'));

const scopeOf = ({ security = [] }: Route) => security.flatMap(({ token }) => token ?? [])[0];
const isForTokens = (route: Route) => scopeOf(route) !== undefined;

function accessOf(route: Route): Html {
  const scope = scopeOf(route);
  if (scope !== undefined) return html`Token with <code>${scope}</code>, or session`;
  return route.security === undefined ? html`No authentication` : html`Browser session only, no token`;
}

function fields(title: string, list: readonly SchemaField[]): Html {
  if (list.length === 0) return html``;
  return html`<details>
    <summary>${title}</summary>
    ${tree(list)}
  </details>`;
}

function tree(list: readonly SchemaField[]): Html {
  return html`<ul class="fields">
    ${list.map(
      ({ name, type, isOptional, note, fields: inner }) =>
        html`<li>
          <code>${name}</code> <span class="type">${withLinks(type)}${isOptional ? ', optional' : ''}</span>
          ${note ? html`<span class="note">${withCode(note)}</span>` : ''}
          ${inner.length > 0 ? tree(inner) : ''}
        </li>`,
    )}
  </ul>`;
}

/** Sample values for path and query parameters. Every other path parameter is an id. */
const SAMPLES: Record<string, string> = {
  key: 'email',
  check_frequency: '60',
  from: '$OLD',
  to: '$NEW',
  slug: 'my-page',
};

/**
 * Returns a call as a curl command. `$KEY` is a shell variable: with a generated key, repeating the command would be another
 * call. curl drops empty headers, so `${KEY:?}` stops the shell if no key is set.
 */
function curlOf({ method, path, parameters = [], requestBody }: Route, origin: string): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] ?? '$ID');
  const query = parameters
    .filter(({ in: where, required }) => where === 'query' && required === true)
    .map(({ name }) => `${name}=${SAMPLES[name] ?? '…'}`)
    .join('&');
  const example = requestBody?.content['application/json']?.example;
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const lines = [
    'curl --header "Authorization: Bearer $TOKEN"',
    ...(method === 'get' || (method === 'post' && example !== undefined)
      ? []
      : [`--request ${method.toUpperCase()}`]),
    ...(takesKey ? ['--header "Idempotency-Key: ${KEY:?}"'] : []),
    ...(example === undefined
      ? []
      : ['--header "Content-Type: application/json"', `--data '${JSON.stringify(example)}'`]),
    `"${origin}${filled}${query === '' ? '' : `?${query}`}"`,
  ];
  return lines.join(' \\\n  ');
}

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
