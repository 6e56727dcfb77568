import type { Hono } from 'hono';
import { html } from 'hono/html';
import type { AppParts } from '../http/api.ts';
import type { AppContext, AppEnv } from '../http/app-env.ts';
import { type CapturedMail, listCapturedMail, readCapturedMail } from './captured-mail.ts';
import { MAIL_PAGE_POLICY } from '../http/security-headers.ts';
import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Serves mail captured while no mail server is configured. Only the operator may see it (see `maySeeMail`), because whoever opens
 * its links acts for the recipient.
 */
export function devMailRoutes(app: Hono<AppEnv>, parts: AppParts): void {
  const { mailFolder, secrets, config } = parts;
  if (mailFolder === null) return;

  app.get('/dev/mail', async (c) => {
    if (!maySeeMail(c, parts)) return c.notFound();
    c.header('Content-Security-Policy', MAIL_PAGE_POLICY);
    c.header('Cache-Control', 'no-store');
    // The URL of this page contains the key, which other sites must not get in a Referer header.
    c.header('Referrer-Policy', 'no-referrer');
    const names = await listCapturedMail(mailFolder);
    const wanted = c.req.query('message');
    if (wanted === undefined) {
      const mails = await Promise.all(names.map((name) => readCapturedMail(mailFolder, name)));
      return c.html(listPage(config.productName, secrets.mailPage, mails));
    }
    if (!names.includes(wanted)) return c.notFound();
    return c.html(messagePage(secrets.mailPage, await readCapturedMail(mailFolder, wanted)));
  });
}

/** Styles with the colours and sizes of the web app, repeated because this page is not part of it. */
const STYLE = html`<style>
  :root {
    color-scheme: light dark;
    --bg: light-dark(#f7fafc, #0b1122);
    --surface: light-dark(#fff, #101a2f);
    --line: light-dark(#dfe5ea, #26334b);
    --fg: light-dark(#141e31, #edf1f5);
    --fg-2: light-dark(#455063, #b4bdc9);
    --link: light-dark(#005f72, #6fd3e0);
    background: var(--bg);
    color: var(--fg);
    font:
      450 14px/20px 'Inter Variable',
      Inter,
      system-ui,
      sans-serif;
  }
  body {
    margin: 0 auto;
    max-width: 47rem;
    padding: 2rem 1rem 3rem;
  }
  h1 {
    margin: 0 0 0.25rem;
    font-size: 26px;
    line-height: 34px;
    font-weight: 620;
    letter-spacing: -0.022em;
    overflow-wrap: anywhere;
  }
  h2 {
    margin: 2rem 0 0.5rem;
    font-size: 14px;
    font-weight: 600;
  }
  a {
    color: var(--link);
    text-underline-offset: 2px;
  }
  p,
  li {
    color: var(--fg-2);
    overflow-wrap: anywhere;
  }
  ul,
  iframe,
  pre {
    margin: 1.25rem 0 0;
    padding: 0;
    border: 1px solid var(--line);
    border-radius: 12px;
    background: var(--surface);
    list-style: none;
  }
  li {
    padding: 0.875rem 1.25rem;
    border-top: 1px solid var(--line);
  }
  li:first-child {
    border-top: 0;
  }
  li a {
    font-weight: 560;
    line-height: 24px;
  }
  iframe {
    width: 100%;
    height: 58rem;
    background: #f0f4f7;
  }
  pre {
    padding: 1rem 1.25rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
</style>`;

const page = (title: string, body: ReturnType<typeof html>) =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;

function address(key: string, id?: string): string {
  const query = new URLSearchParams({ key, ...(id !== undefined && { message: id }) });
  return `/dev/mail?${query}`;
}

function listPage(productName: string, key: string, mails: CapturedMail[]) {
  const items = mails.map(
    (mail) =>
      html`<li><a href="${address(key, mail.id)}">${mail.subject}</a><br />to ${mail.to} · ${mail.date}</li>`,
  );
  return page(
    `${productName}: mail captured on this machine`,
    mails.length === 0
      ? html`<p>No mail yet. Set SMTP_URL to have it sent instead.</p>`
      : html`<ul>
          ${items}
        </ul>`,
  );
}

function messagePage(key: string, mail: CapturedMail) {
  // Do not add allow-scripts or allow-same-origin: mail contains text of strangers. Links may open in a new tab.
  return page(
    mail.subject,
    html`<p>To ${mail.to} · ${mail.date} · <a href="${address(key)}">All mail</a></p>
      <iframe
        title="The mail"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        srcdoc="${`<base target="_blank">${mail.html}`}"
      ></iframe>
      <h2>Text part</h2>
      <pre>${mail.text}</pre>`,
  );
}

/**
 * Returns whether a request may see captured mail: its Host is a loopback name, no request has shown signs of a proxy, and it
 * includes the key from the startup message.
 */
function maySeeMail(c: AppContext, { localAccess, secrets }: AppParts): boolean {
  // Compare hashes, because timingSafeEqual needs inputs of equal length.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const isKey = timingSafeEqual(digest(c.req.query('key') ?? ''), digest(secrets.mailPage));
  return localAccess.isToLoopback(c) && isKey;
}

/**
 * Returns the path of the page of captured mail, with its key, for requests from this machine; null for all others, and
 * if a mail server is configured.
 */
export function mailPageFor(c: AppContext, { mailFolder, secrets, localAccess }: AppParts): string | null {
  if (mailFolder === null || !localAccess.isFromThisMachine(c)) return null;
  return `/dev/mail?key=${encodeURIComponent(secrets.mailPage)}`;
}
