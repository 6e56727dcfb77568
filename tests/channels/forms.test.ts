import { describe, expect, it } from 'vitest';
import { discordMessage } from '../../server/channels/discord/discord.ts';
import { asMarkdown } from '../../server/channels/alert-lines.ts';
import type { AlertContent } from '../../server/channels/messages/alert-input.ts';
import { matrixMessage } from '../../server/channels/matrix/matrix.ts';
import { ntfyMessage } from '../../server/channels/ntfy/ntfy.ts';
import { pagerdutyEvent } from '../../server/channels/pagerduty/pagerduty.ts';
import { slackMessage } from '../../server/channels/slack/slack.ts';
import { teamsMessage } from '../../server/channels/teams/teams.ts';
import { telegramText } from '../../server/channels/telegram/telegram.ts';
import { HTTP_EXAMPLES, renderedFor } from '../kit/peers/channel-examples.ts';
import { alertContentOf, HOSTILE_TEXTS, hostileContent } from '../kit/product/alert-content.ts';
import { promise } from '../security/promise.ts';

const pager = (content: AlertContent) => pagerdutyEvent({ content, messageId: 'm-1', now: 0 });
/** Kinds of channels whose receivers limit the size of a message, each with the limit in bytes. */
const FORMS = HTTP_EXAMPLES.flatMap((example): [string, (content: AlertContent) => unknown, number][] =>
  example.maxBytes === undefined
    ? []
    : [[example.kind, (content) => renderedFor(example, content), example.maxBytes]],
);
const good = alertContentOf({
  severity: 'info',
  resolves: true,
  subject: 'shop.fjord.example’s certificate was renewed',
});
const critical = alertContentOf({ severity: 'critical' });

/** Returns every text of a message at any depth, each with its key. */
function texts(value: unknown, key = ''): { key: string; text: string }[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => texts(one, name));
}

describe('the message of every channel', () => {
  it.each(FORMS)('contains the host, days left, consequence, issuer and link: %s', (_name, form) => {
    const message = JSON.stringify(form(alertContentOf()));
    for (const part of [
      'shop.fjord.example',
      '14 days',
      'security warning',
      'Fjord CA',
      'certs.test/dashboard',
    ])
      expect(message).toContain(part);
  });

  it.each(FORMS)(
    'contains no line breaks, control or direction characters of untrusted text: %s',
    (_name, form) => {
      for (const hostile of HOSTILE_TEXTS)
        for (const { text } of texts(form(hostileContent(hostile)))) {
          expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Co}\p{Cs}\u200b\p{Bidi_Control}]/u);
          expect(text).not.toMatch(/^Bcc/m);
        }
      promise('hostile-text');
    },
  );

  it.each(FORMS)(
    'stays below the maximum size of the receiver for texts of any length: %s',
    (_name, form, mostBytes) => {
      for (const character of ['a', '*', '<', '&', '\u{1F512}', 'é']) {
        const long = character.repeat(5_000);
        const message = form({
          ...hostileContent(long),
          paragraphs: Array.from({ length: 20 }, () => long),
          facts: Array.from({ length: 40 }, () => ({ label: long, value: long })),
        });
        expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(mostBytes);
        for (const { text } of texts(message)) expect(text.isWellFormed()).toBe(true);
      }
    },
  );
});

describe('a Slack message', () => {
  it('shows untrusted text without mentions, links or emoji', () => {
    for (const hostile of HOSTILE_TEXTS) {
      const message = slackMessage(hostileContent(hostile));
      const marked = JSON.stringify(message, (_key, value: { type?: string }) =>
        value?.type === 'plain_text' ? { ...value, text: '' } : value,
      );
      // The rest is read as mrkdwn: one link, and it is ours.
      expect(marked.match(/<[^>]*>/g)).toEqual([
        '<https://certs.test/dashboard?domain=1|Show certificate details>',
      ]);
      expect(message).toMatchObject({ unfurl_links: false, unfurl_media: false, parse: 'none' });
      expect(texts(message).filter(({ key }) => key === 'text').length).toBeGreaterThan(5);
      expect(JSON.stringify(message)).not.toContain('"emoji":true');
    }
  });

  it('has a colour for its severity and stays within Slack’s limits for blocks', () => {
    const colour = (content: AlertContent) => slackMessage(content)['attachments'];
    expect(colour(critical)).toMatchObject([{ color: '#df2a2a' }]);
    expect(colour(alertContentOf())).toMatchObject([{ color: '#bf8506' }]);
    expect(colour(good)).toMatchObject([{ color: '#1a7f4e' }]);
    const many = alertContentOf({
      subject: 'a'.repeat(500),
      facts: Array.from({ length: 30 }, (_, index) => ({ label: `Fact ${index}`, value: '' })),
    });
    const { blocks, attachments } = slackMessage(many) as {
      blocks: { text: { text: string } }[];
      attachments: { blocks: { fields?: unknown[] }[] }[];
    };
    expect(blocks[0]?.text.text).toHaveLength(150);
    for (const { fields = [] } of attachments[0]?.blocks ?? []) expect(fields.length).toBeLessThanOrEqual(10);
    for (const { key, text } of texts(attachments)) if (key === 'text') expect(text).not.toBe('');
  });
});

/** Returns what a Markdown reader takes as formatting: marks that have no backslash before them. */
const bareMarks = (text: string) => text.replaceAll(/\\./gs, '').match(/[*_`~|<>[\]{}#@!$]|:\/\//g) ?? [];

describe('a Discord message', () => {
  it('mentions nobody and escapes Markdown in untrusted text', () => {
    for (const hostile of HOSTILE_TEXTS) {
      const message = discordMessage(hostileContent(hostile));
      expect(message['allowed_mentions']).toEqual({ parse: [] });
      const shown = texts(message).filter(({ key }) =>
        ['title', 'description', 'name', 'value'].includes(key),
      );
      expect(shown.length).toBeGreaterThan(3);
      expect(shown.flatMap(({ text }) => bareMarks(text))).toEqual([]);
    }
    promise('hostile-text');
  });

  it('stays within all limits of Discord if every text is long', () => {
    const long = '*'.repeat(5_000);
    const message = discordMessage({
      ...hostileContent(long),
      paragraphs: Array.from({ length: 20 }, () => long),
      facts: Array.from({ length: 40 }, () => ({ label: long, value: long })),
    });
    const [embed] = message['embeds'] as [
      { title: string; description: string; fields: { name: string; value: string }[] },
    ];
    expect(embed.title.length).toBeLessThanOrEqual(256);
    expect(embed.description.length).toBeLessThanOrEqual(4_096);
    expect(embed.fields.length).toBeLessThanOrEqual(25);
    const counted = texts({ ...embed, url: 0, timestamp: 0 }).map(({ text }) => text.length);
    expect(counted.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(6_000);
  });

  it('leaves out a link that Discord would refuse', () => {
    const local = alertContentOf({ button: { label: 'Show', url: 'http://localhost:8080/dashboard' } });
    expect(discordMessage(local)['embeds']).toMatchObject([
      expect.not.objectContaining({ url: expect.anything() }),
    ]);
    expect(discordMessage(critical)['embeds']).toMatchObject([
      {
        color: 0xdf2a2a,
        url: 'https://certs.test/dashboard?domain=1',
        timestamp: '2026-11-24T12:00:00.000Z',
      },
    ]);
  });
});

describe('a Microsoft Teams message', () => {
  it('is an adaptive card with facts and a button', () => {
    const message = teamsMessage(critical);
    expect(message).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            version: '1.4',
            actions: [{ type: 'Action.OpenUrl', url: 'https://certs.test/dashboard?domain=1' }],
          },
        },
      ],
    });
    expect(JSON.stringify(message)).toContain('"style":"attention"');
    expect(JSON.stringify(teamsMessage(good))).toContain('"style":"good"');
    expect(JSON.stringify(message)).toContain(
      JSON.stringify({ title: 'Issuer', value: 'Fjord CA · SHA\\-256 0011223344556677…' }),
    );
  });

  it('escapes Markdown and template functions in untrusted text', () => {
    for (const hostile of HOSTILE_TEXTS) {
      const shown = texts(teamsMessage(hostileContent(hostile))).filter(({ key }) =>
        ['text', 'value'].includes(key),
      );
      expect(shown.flatMap(({ text }) => bareMarks(text))).toEqual([]);
      expect(shown.some(({ text }) => text.includes('{{'))).toBe(false);
    }
  });
});

describe('a Telegram message', () => {
  it('contains no HTML tag, mention or command from untrusted text', () => {
    for (const hostile of HOSTILE_TEXTS) {
      const text = telegramText(hostileContent(hostile));
      const tags = text.match(/<[^>]*>/g) ?? [];
      const ours = /^<(?:\/?b|\/?code|\/a|a href="https:\/\/certs\.test\/dashboard\?domain=1")>$/;
      expect(tags.filter((tag) => !ours.test(tag))).toEqual([]);
      const read = text.replaceAll(/<code>.*?<\/code>|<[^>]*>/gs, '');
      expect(read).not.toMatch(/[@#$/][\p{L}\p{N}_]/u);
    }
    promise('hostile-text');
  });

  it('fits into 4,096 characters and keeps its link', () => {
    const long = '&'.repeat(700);
    const text = telegramText({
      ...hostileContent(long),
      paragraphs: Array.from({ length: 6 }, () => long),
      facts: Array.from({ length: 10 }, () => ({ label: 'Fact', value: long })),
    });
    expect(text.length).toBeLessThanOrEqual(4_096);
    expect(
      text.endsWith('<a href="https://certs.test/dashboard?domain=1">Show certificate details</a>'),
    ).toBe(true);
    expect(text.replaceAll(/&(?:amp|lt|gt|quot);/g, '')).not.toContain('&');
  });
});

describe('a PagerDuty event', () => {
  it('triggers and resolves under the id of the incident', () => {
    expect(pager(critical)).toMatchObject({
      event_action: 'trigger',
      dedup_key: critical.incidentId,
      payload: {
        summary: critical.subject,
        source: 'shop.fjord.example',
        severity: 'critical',
        timestamp: '2026-11-24T12:00:00.000Z',
        class: 'certificate.expiring',
        custom_details: { Host: 'shop.fjord.example' },
      },
      links: [{ href: 'https://certs.test/dashboard?domain=1', text: 'Show certificate details' }],
    });
    expect(pager(good)).toEqual({ event_action: 'resolve', dedup_key: good.incidentId });
  });

  it('a PagerDuty event of a test message opens a separate incident with severity info', () => {
    const test = alertContentOf({
      event: 'test',
      severity: 'info',
      incidentId: null,
      heading: 'This is a test.',
    });
    expect(pager(test)).toMatchObject({
      event_action: 'trigger',
      dedup_key: 'm-1',
      payload: { severity: 'info', source: 'certs.test' },
    });
  });
});

describe('an ntfy message', () => {
  it('has the priority and the tag of its severity', () => {
    expect(ntfyMessage(critical)).toMatchObject({
      title: critical.subject,
      priority: 5,
      tags: ['rotating_light'],
      click: 'https://certs.test/dashboard?domain=1',
      actions: [{ action: 'view', label: 'Show certificate details' }],
    });
    expect(ntfyMessage(alertContentOf())).toMatchObject({ priority: 4, tags: ['warning'] });
    expect(ntfyMessage({ ...good, severity: 'critical' })).toMatchObject({
      priority: 3,
      tags: ['white_check_mark'],
    });
  });

  it('stays below 4,096 bytes, so that ntfy does not turn it into a file', () => {
    const long = '\u{1F512}'.repeat(700);
    const { message } = ntfyMessage({
      ...hostileContent(long),
      paragraphs: Array.from({ length: 6 }, () => long),
    });
    expect(Buffer.byteLength(String(message))).toBeLessThan(4_096);
    expect(message).not.toBe('');
  });
});

describe('a Matrix message', () => {
  it('notifies like a message from a person, mentions nobody and contains no HTML from certificates', () => {
    for (const hostile of HOSTILE_TEXTS) {
      const message = matrixMessage(hostileContent(hostile));
      expect(message).toMatchObject({ msgtype: 'm.text', 'm.mentions': {} });
      const tags = String(message['formatted_body']).match(/<[^>]*>/g) ?? [];
      expect(new Set(tags)).toEqual(
        new Set([
          '<p>',
          '</p>',
          '<strong>',
          '</strong>',
          '<a href="https://certs.test/dashboard?domain=1">',
          '</a>',
        ]),
      );
    }
    promise('hostile-text');
  });
});

describe('asMarkdown', () => {
  it('leaves ordinary text unchanged', () => {
    const sentence = 'shop.fjord.example expires on Tuesday, 8 December 2026 at 15:32 CET (14:32 UTC).';
    expect(asMarkdown(sentence, 200)).toBe(sentence);
  });
  it('never cuts a text between a Markdown mark and its backslash', () => {
    expect(asMarkdown('ab**', 4)).toBe('ab…');
    expect(asMarkdown('ab**', 5)).toBe(String.raw`ab\*…`);
    expect(asMarkdown('ab**', 6)).toBe(String.raw`ab\*\*`);
  });
});
