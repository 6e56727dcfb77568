import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { channelConfigSchema } from '../contract/channel-config.ts';
import {
  configFrom,
  defaultName,
  definitionOf,
  maskedTarget,
  readConfig,
  rotatedConfig,
  storableConfig,
  type StoredChannelConfig,
} from '../server/channels/kinds/index.ts';
import { CHANNEL_EXAMPLES } from './kit/peers/channel-examples.ts';
import { CHANNEL_KINDS } from '../web/ui/alert-settings/channel-kinds.ts';
import { CHANNEL_KIND_NAMES, type ChannelKindName } from '../contract/words.ts';

const stored = (kind: ChannelKindName): StoredChannelConfig =>
  configFrom(CHANNEL_EXAMPLES[kind].entered, null);

describe.each(CHANNEL_KIND_NAMES)('The channel kind %s', (kind) => {
  const { entered, target, name } = CHANNEL_EXAMPLES[kind];

  it('has a schema in the contract that accepts its example and gives the page its fields', () => {
    expect(channelConfigSchema.parse(entered)).toEqual(entered);
    const fields = CHANNEL_KINDS[kind].fields.map((field) => field.name);
    expect(fields.toSorted()).toEqual(
      Object.keys(entered)
        .filter((key) => key !== 'kind')
        .toSorted(),
    );
  });

  it('has a definition in a folder with the name of the kind', () => {
    expect(existsSync(`server/channels/${kind}/${kind}.ts`)).toBe(true);
    expect(definitionOf(kind).receiver === undefined).toBe(kind === 'email');
  });

  it('can decode the channel config that it encoded for storage', () => {
    const config = stored(kind);
    const { text } = storableConfig(config);
    expect(readConfig({ kind, config: text })).toEqual(config);
    expect(JSON.parse(text)).toMatchObject({ kind });
  });

  it.each([
    ['empty', ''],
    ['incomplete', '{"kind":'],
    ['null', 'null'],
    ['a list', '[]'],
    ['only the kind', JSON.stringify({ kind })],
    ['a config of another kind', JSON.stringify({ ...CHANNEL_EXAMPLES[kind].entered, kind: 'fax' })],
  ])('decodes a stored config that is %s to null', (_, config) => {
    expect(readConfig({ kind, config })).toBeNull();
    expect(storableConfig(stored(kind)).isSameReceiver({ kind, config })).toBe(false);
  });

  it('shows a target and a name without the secret', () => {
    expect(maskedTarget(stored(kind))).toBe(target);
    expect(defaultName(stored(kind))).toBe(name);
    expect(target + name).not.toContain('secret');
  });

  it('recognises a second channel to the same receiver as a duplicate', () => {
    const one = storableConfig(stored(kind));
    expect(one.isSameReceiver({ kind, config: one.text })).toBe(true);
    for (const other of CHANNEL_KIND_NAMES.filter((each) => each !== kind))
      expect(one.isSameReceiver({ kind: other, config: storableConfig(stored(other)).text })).toBe(false);
  });
});

it('A stored channel config without a valid URL is decoded to null', () => {
  for (const kind of ['webhook', 'slack', 'discord', 'teams'] as const)
    expect(readConfig({ kind, config: JSON.stringify({ kind, url: 'nowhere', secrets: [] }) })).toBeNull();
  const config = JSON.stringify({ kind: 'ntfy', server: 'nowhere', topic: 'on-call' });
  expect(readConfig({ kind: 'ntfy', config })).toBeNull();
});

it('A webhook keeps its signing secrets and its method when its URL changes, and gets a secret if it has none', () => {
  const before = configFrom({ kind: 'webhook', url: 'https://a.example' }, null);
  const after = configFrom({ kind: 'webhook', url: 'https://b.example' }, before);
  expect(after).toEqual({ ...before, url: 'https://b.example' });
  const put = configFrom({ kind: 'webhook', url: 'https://a.example', method: 'PUT' }, null);
  expect(configFrom({ kind: 'webhook', url: 'https://b.example' }, put)).toMatchObject({ method: 'PUT' });
  expect(before).toMatchObject({
    secrets: [{ secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/), until: null }],
  });
  const ofAnotherKind = configFrom({ kind: 'webhook', url: 'https://b.example' }, stored('slack'));
  expect(ofAnotherKind).toMatchObject({ secrets: [{ until: null }] });
});

it.each([
  ['slack', 'hooks.slack.com'],
  ['discord', 'discord.com'],
] as const)('A %s channel rejects other hosts whose names contain %s', (kind, host) => {
  const { entered } = CHANNEL_EXAMPLES[kind];
  for (const other of [`evil${host}`, `${host}.evil.example`]) {
    const url = ('url' in entered ? entered.url : '').replace(host, other);
    expect(channelConfigSchema.safeParse({ kind, url }).success, url).toBe(false);
  }
});

it('A webhook’s signing secret is rotated, unless its config cannot be decoded', () => {
  const rotation = { secret: 'whsec_bmV3', until: 2, now: 1 };
  const before = stored('webhook');
  const rotated = readConfig({
    kind: 'webhook',
    config: rotatedConfig(storableConfig(before).text, rotation) ?? '',
  });
  expect(rotated).toMatchObject({ secrets: [{ secret: 'whsec_bmV3', until: null }, { until: 2 }] });
  expect(rotatedConfig('{}', rotation)).toBeNull();
});

describe('docs/how-to/add-a-channel.md', () => {
  const guide = readFileSync('docs/how-to/add-a-channel.md', 'utf8');
  const files = Array.from(guide.matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|tsx|md))`/g), ([, file = '']) => file);

  it('names every source file that mentions the channel kind ntfy', () => {
    const knowing = ['contract', 'server', 'web', 'tests/kit/peers']
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true }).map((path) => `${folder}/${String(path)}`),
      )
      .filter((path) => /\.tsx?$/.test(path))
      .filter((path) => !/\.test\.tsx?$/.test(path) && /\bntfy\b/.test(readFileSync(path, 'utf8')));
    expect(knowing.filter((path) => !files.includes(path))).toEqual([]);
  });
});
