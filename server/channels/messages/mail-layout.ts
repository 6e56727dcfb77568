import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { COLOURS, MAIL_STYLE, type Tone, TONES } from './mail-colours.ts';

type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** Parts of a mail, in the order in which they appear. The layout escapes every text. */
export interface DrawnMail {
  title: string;
  preheader: string;
  productName: string;
  badge?: { tone: Tone; text: string };
  /** Heading sentence. If it contains a host, it is split, because the host is set in monospace. */
  heading: string | { before: string; host: string; after: string };
  paragraphs: string[];
  /** List after the paragraphs, with the sentence that introduces it. */
  bullets?: { lead: string; items: string[] };
  /** Text that a person wrote, with line breaks. */
  quote?: string;
  bar?: Lifetime & { tone: Tone; from: string; to: string };
  /** Rows of a table. A row without a label continues the row above. */
  facts: { label: string; value: string; mono?: boolean }[];
  /** Lists with a heading. `more` is the number of items that are not shown. */
  lists?: { heading: string; items: { name: string; detail: string }[]; more: number }[];
  button: { label: string; url: string };
  footer: string;
  /** Links after the footer. */
  links?: { label: string; url: string }[];
}

/** Validity period of a certificate, and the time of rendering. Instants are ms UTC. */
interface Lifetime {
  notBefore: number;
  notAfter: number;
  now: number;
}

const SANS = "Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const HEADING_MONO = "'JetBrains Mono','SF Mono',Menlo,Consolas,monospace";
const MONO = 'Menlo,Consolas,monospace';

/** Content-ID under which the channel attaches the logo. */
export const LOGO_CONTENT_ID = 'logo@certlantern';

/** Renders an HTML mail: at most 600 px wide, tables and inline colours, borders instead of shadows, no remote content. */
export function mailLayout(content: DrawnMail): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>
          ${raw(MAIL_STYLE)}
        </style>
        <title>${content.title}</title>
      </head>
      <body
        class="page ink"
        style="margin:0;background:${COLOURS.page};font-family:${SANS};color:${COLOURS.ink}"
      >
        <div style="display:none;max-height:0;overflow:hidden">${content.preheader}</div>
        <table
          class="page"
          role="presentation"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          bgcolor="${COLOURS.page}"
        >
          <tr>
            <td align="center" style="padding:36px 16px 40px">
              <table
                role="presentation"
                width="600"
                cellpadding="0"
                cellspacing="0"
                style="max-width:600px;width:100%;text-align:left"
              >
                <tr>
                  <td style="padding:0 4px 18px">${brand(content.productName)}</td>
                </tr>
                <tr>
                  <td
                    class="surface"
                    bgcolor="${COLOURS.surface}"
                    style="border:1px solid ${COLOURS.border};border-radius:12px;padding:32px 36px 34px"
                  >
                    ${card(content)}
                  </td>
                </tr>
                <tr>
                  <td
                    class="meta"
                    style="padding:20px 4px 0;font-size:13px;line-height:20px;color:${COLOURS.meta};overflow-wrap:anywhere"
                  >
                    ${content.footer}${content.links?.map(footerLink)}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html> `;
  return rendered(page);
}

/** Returns the markup as text. @throws TypeError for a promise, which `html` returns only if it is given promises. */
function rendered(markup: Markup): string {
  if (markup instanceof Promise) throw new TypeError('A mail must not contain promises.');
  return markup.toString();
}

function brand(productName: string): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0">
    <tr>
      <td>
        <img src="cid:${LOGO_CONTENT_ID}" width="28" height="28" alt="" style="display:block" />
      </td>
      <td
        class="ink"
        style="padding-left:10px;font-size:16px;font-weight:600;letter-spacing:-.2px;color:${COLOURS.ink}"
      >
        ${productName}
      </td>
    </tr>
  </table>`;
}

function card(content: DrawnMail): Markup {
  return html`${content.badge && badge(content.badge)}
    <h1
      class="ink"
      style="margin:${content.badge ? '18px' : '0'} 0 8px;font-size:24px;line-height:31px;font-weight:600;letter-spacing:-.45px;color:${COLOURS.ink};overflow-wrap:anywhere;word-break:break-word"
    >
      ${heading(content.heading)}
    </h1>
    ${content.paragraphs.map((text, index) => paragraph(text, content.bullets === undefined && index === content.paragraphs.length - 1))}
    ${content.bullets && bulletList(content.bullets)} ${content.quote !== undefined && quote(content.quote)}
    ${content.bar && lifetimeBar(content.bar)} ${content.facts.length > 0 && factsTable(content.facts)}
    ${content.lists?.map(namedList)}
    <table role="presentation" cellpadding="0" cellspacing="0" style="margin-top:26px">
      <tr>
        <td class="button" bgcolor="${COLOURS.primary}" style="border-radius:6px">
          <a
            href="${content.button.url}"
            style="display:inline-block;padding:12px 20px;font-size:15px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none"
            >${content.button.label}</a
          >
        </td>
      </tr>
    </table>`;
}

function badge({ tone, text }: NonNullable<DrawnMail['badge']>): Markup {
  const { background, text: colour, glyph } = TONES[tone];
  return html`<table role="presentation" cellpadding="0" cellspacing="0">
    <tr>
      <td
        class="badge-${tone}"
        bgcolor="${background}"
        style="border-radius:4px;padding:4px 10px;font-size:13px;line-height:18px;font-weight:600;color:${colour}"
      >
        ${glyph}&nbsp; ${text}
      </td>
    </tr>
  </table>`;
}

/** Renders a link as a part of the one sentence that all links form: "Change alerts or stop emails for this host." */
function footerLink({ label, url }: { label: string; url: string }, index: number, all: unknown[]): Markup {
  const words = index === 0 ? label : label.charAt(0).toLowerCase() + label.slice(1);
  const end = index === all.length - 1 ? '.' : '';
  return html`${index === 0 ? ' ' : ' or '}<a
      href="${url}"
      style="color:${COLOURS.meta};text-decoration:underline"
      >${words}</a
    >${end}`;
}

function heading(sentence: DrawnMail['heading']): Markup {
  if (typeof sentence === 'string') return html`${sentence}`;
  return html`${sentence.before}<span style="font-family:${HEADING_MONO};font-size:22px;letter-spacing:-.8px"
      >${sentence.host}</span
    >${sentence.after}`;
}

function quote(text: string): Markup {
  const lines = text.split('\n').map((line) => html`${line}<br />`);
  return html`<p
    class="line ink"
    style="margin:12px 0 24px;padding-left:14px;border-left:3px solid ${COLOURS.border};font-size:15px;line-height:24px;color:${COLOURS.ink};overflow-wrap:anywhere"
  >
    ${lines}
  </p>`;
}

function paragraph(text: string, last: boolean): Markup {
  return html`<p
    class="secondary"
    style="margin:0 0 ${last ? '24px' : '12px'};font-size:15px;line-height:24px;color:${COLOURS.secondary};overflow-wrap:anywhere"
  >
    ${text}
  </p>`;
}

function bulletList({ lead, items }: NonNullable<DrawnMail['bullets']>): Markup {
  const rows = items.map((item) => html`<li style="margin:0 0 4px">${item}</li>`);
  return html`${paragraph(lead, false)}
    <ul
      class="secondary"
      style="margin:0 0 24px;padding-left:22px;font-size:15px;line-height:24px;color:${COLOURS.secondary};overflow-wrap:anywhere"
    >
      ${rows}
    </ul>`;
}

function namedList({ heading: about, items, more }: NonNullable<DrawnMail['lists']>[number]): Markup {
  const cell = `padding:8px 0;border-top:1px solid ${COLOURS.rule};overflow-wrap:anywhere;word-break:break-word`;
  const rows = items.map(
    ({ name, detail }) =>
      html`<tr>
        <td class="line" style="${cell}">
          <div class="ink" style="font-family:${MONO};font-size:13px;line-height:20px;color:${COLOURS.ink}">
            ${name}
          </div>
          <div class="secondary" style="font-size:13px;line-height:20px;color:${COLOURS.secondary}">
            ${detail}
          </div>
        </td>
      </tr>`,
  );
  const rest = html`<tr>
    <td class="line meta" style="${cell};font-size:13px;line-height:20px;color:${COLOURS.meta}">
      and ${more} more
    </td>
  </tr>`;
  return html`<h2
      class="ink"
      style="margin:20px 0 8px;font-size:15px;line-height:24px;font-weight:600;color:${COLOURS.ink}"
    >
      ${about}
    </h2>
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      ${rows}${more > 0 && rest}
    </table>`;
}

/**
 * Draws the used part of the lifetime, the part ahead and a vertical line at `notAfter`. After expiry, a dashed line
 * continues from there to now.
 */
function lifetimeBar(bar: NonNullable<DrawnMail['bar']>): Markup {
  const { mark } = TONES[bar.tone];
  const lifetime = Math.max(1, bar.notAfter - bar.notBefore);
  const passed = bar.now >= bar.notAfter;
  const share = passed
    ? lifetime / Math.max(1, bar.now - bar.notBefore)
    : (bar.now - bar.notBefore) / lifetime;
  const percent = Math.round(100 * Math.min(passed ? 0.95 : 0.98, Math.max(0.02, share)));
  const used = html`<td width="${percent}%" valign="middle">
    <div
      class="mark-${bar.tone}"
      style="height:4px;line-height:4px;font-size:0;background:${mark};border-radius:2px"
    >
      &nbsp;
    </div>
  </td>`;
  // A border, because mail programs with a dark mode of their own also adjust the colours of borders: the line stays visible.
  const wall = html`<td
    class="wall"
    width="0"
    style="font-size:0;line-height:0;width:0;height:16px;border-left:2px solid ${COLOURS.ink}"
  >
    &nbsp;
  </td>`;
  const ahead = html`<td valign="middle">
    <div class="track" style="height:4px;line-height:4px;font-size:0;background:${COLOURS.border}">
      &nbsp;
    </div>
  </td>`;
  const beyond = html`<td valign="middle">
    <div class="beyond-${bar.tone}" style="height:0;line-height:0;font-size:0;border-top:2px dashed ${mark}">
      &nbsp;
    </div>
  </td>`;
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      <tr>
        ${used}${passed ? [wall, beyond] : [ahead, wall]}
      </tr>
    </table>
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
      <tr>
        <td
          class="meta"
          valign="top"
          style="font-size:13px;line-height:22px;color:${COLOURS.meta};padding:4px 12px 0 0"
        >
          ${bar.from}
        </td>
        <td
          class="ink"
          align="right"
          valign="top"
          style="font-size:13px;line-height:22px;color:${COLOURS.ink};padding-top:4px"
        >
          ${bar.to}
        </td>
      </tr>
    </table>`;
}

function factsTable(facts: DrawnMail['facts']): Markup {
  const rows = facts.map(({ label, value, mono }, index) => {
    const isContinued = facts[index + 1]?.label === '';
    const cell = `padding:${label === '' ? '0' : '10px'} 0 ${isContinued ? '4px' : '10px'};${isContinued ? '' : `border-bottom:1px solid ${COLOURS.rule}`}`;
    return html`<tr>
      <td
        class="line meta label"
        width="120"
        valign="top"
        style="${cell};padding-right:12px;color:${COLOURS.meta}"
      >
        ${label}
      </td>
      <td class="line ink" style="${cell};color:${COLOURS.ink};overflow-wrap:anywhere;word-break:break-word">
        ${mono === true ? html`<span style="font-family:${MONO};font-size:13px">${value}</span>` : value}
      </td>
    </tr>`;
  });
  return html`<table
    class="line"
    role="presentation"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    style="margin-top:20px;border-top:1px solid ${COLOURS.rule};font-size:14px;line-height:20px"
  >
    ${rows}
  </table>`;
}
