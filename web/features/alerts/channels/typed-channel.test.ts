import { describe, expect, it } from 'vitest';
import { check } from '../../../lib/form.ts';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import { changedChannelSchema, initialTexts, newChannelSchema } from './typed-channel.ts';
import { CHANNEL_KIND_NAMES } from '../../../../contract/words.ts';

const typed = (kind: keyof typeof CHANNEL_KINDS, texts: Record<string, string>) =>
  check(newChannelSchema(kind), { ...initialTexts(kind), ...texts });

describe('the form of a new channel', () => {
  it('converts its texts to the config of the contract, with defaults', () => {
    expect(typed('webhook', { name: ' Deploys ', url: ' https://example.com/hook ' })).toEqual({
      ok: true,
      output: {
        name: 'Deploys',
        config: { kind: 'webhook', url: 'https://example.com/hook', method: 'POST' },
      },
    });
    expect(typed('ntfy', { topic: 'quiet-topic', server: '', access_token: '' })).toEqual({
      ok: true,
      output: { name: '', config: { kind: 'ntfy', topic: 'quiet-topic', server: 'https://ntfy.sh' } },
    });
    expect(typed('pagerduty', { routing_key: 'a'.repeat(32), region: 'eu' })).toMatchObject({
      ok: true,
      output: { config: { region: 'eu' } },
    });
  });

  it('returns each error under the name of its field', () => {
    expect(typed('slack', { url: 'https://example.com/' })).toEqual({
      ok: false,
      errors: { url: 'A Slack webhook address starts with https://hooks.slack.com/' },
    });
    expect(typed('telegram', { bot_token: '', chat_id: 'no id' })).toEqual({
      ok: false,
      errors: {
        bot_token: 'A bot token looks like 123456789:AA…',
        chat_id: 'A chat ID is a number, or @ followed by a name',
      },
    });
    // A question mark in the server's address would turn the path that we append into a query.
    const matrix = { homeserver: 'https://example.com/matrix?a=b', room_id: '!a:b', access_token: 'c' };
    expect(typed('matrix', matrix)).toEqual({
      ok: false,
      errors: { homeserver: 'Enter an http or https address without a question mark' },
    });
  });

  it.each(CHANNEL_KIND_NAMES)('%s: an empty form is refused at the first field', (kind) => {
    const [first] = CHANNEL_KINDS[kind].fields;
    const checked = typed(kind, { [first.name]: '' });
    expect(checked.ok).toBe(false);
    expect(!checked.ok && Object.keys(checked.errors)).toContain(first.name);
  });

  it('suggests a new valid ntfy topic each time', () => {
    const one = initialTexts('ntfy')['topic'] ?? '';
    expect(one).not.toBe(initialTexts('ntfy')['topic']);
    expect(typed('ntfy', { topic: one }).ok).toBe(true);
  });
});

describe('the form to edit a channel', () => {
  const began = { name: 'Hook', url: '' };

  it('keeps the stored config if the fields stay empty', () => {
    expect(check(changedChannelSchema('webhook', began), { name: 'Other', url: '' })).toEqual({
      ok: true,
      output: { name: 'Other' },
    });
  });

  it('sends only what was changed, or reports invalid fields', () => {
    expect(
      check(changedChannelSchema('webhook', began), { name: 'Hook', url: 'https://b.example/' }),
    ).toEqual({
      ok: true,
      output: { config: { kind: 'webhook', url: 'https://b.example/' } },
    });
    expect(check(changedChannelSchema('webhook', began), { name: ' ', url: 'nowhere' })).toEqual({
      ok: false,
      errors: { name: 'Enter a name', url: 'Enter an http or https address' },
    });
  });
});
