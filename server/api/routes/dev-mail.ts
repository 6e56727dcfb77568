import type { Hono } from 'hono';
import { html } from 'hono/html';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { AppParts } from '../api.ts';
import type { AppContext, AppEnv } from '../app-env.ts';
import { listCapturedMail, readCapturedMail, type CapturedMail } from '../captured-mail.ts';
import { hostnameOf, isLoopback } from '../own-origin.ts';
import { MAIL_PAGE_POLICY } from '../security-headers.ts';

const FORWARDED = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];

/**
 * Shows the mail that is kept while there is no mail server. Mail holds links that act for its reader, so it is for
 * whoever sits at the machine only: the key from the start line, a loopback address, and no proxy in between.
 */
export function devMailRoutes(app: Hono<AppEnv>, { mailFolder, secrets, config }: AppParts): void {
  if (mailFolder === null) return;

  app.get('/dev/mail', async (c) => {
    if (!isOperator(c, secrets.mailPage)) return c.notFound();
    c.header('Content-Security-Policy', MAIL_PAGE_POLICY);
    c.header('Cache-Control', 'no-store');
    // The key stands in the address of this page.
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

function isOperator(c: AppContext, key: string): boolean {
  const hostname = hostnameOf(c.req.header('host') ?? new URL(c.req.url).host);
  if (hostname === null || !isLoopback(hostname)) return false;
  if (FORWARDED.some((name) => c.req.header(name) !== undefined)) return false;
  // Hashes of equal length, so that the comparison's time says nothing.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(c.req.query('key') ?? ''), digest(key));
}

const STYLE = html`<style>
  :root {
    color-scheme: light dark;
    font:
      15px/1.5 system-ui,
      sans-serif;
  }
  body {
    margin: 2rem auto;
    max-width: 44rem;
    padding: 0 1rem;
  }
  li {
    margin: 0.75rem 0;
  }
  iframe {
    width: 100%;
    height: 60rem;
    border: 1px solid #8888;
    background: #fff;
  }
  pre {
    white-space: pre-wrap;
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
    `${productName}: mail kept on this machine`,
    mails.length === 0
      ? html`<p>No mail yet. Set SMTP_URL to have it sent instead.</p>`
      : html`<ul>
          ${items}
        </ul>`,
  );
}

function messagePage(key: string, mail: CapturedMail) {
  // No allow-scripts and no allow-same-origin: the mail carries strangers' text. Links may open in a new tab.
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
