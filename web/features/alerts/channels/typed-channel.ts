import { z } from 'zod';
import { type ChannelConfig, channelConfigSchema } from '../../../../contract/channel-config.ts';
import { CHANNEL_KINDS } from '../../../ui/alert-settings/channel-kinds.ts';
import type { ChannelKindName } from '../../../../contract/words.ts';

type Texts = Record<string, string>;

/** Returns the initial values of the form for a kind of channel. */
export function initialTexts(kind: ChannelKindName): Texts {
  const { fields } = CHANNEL_KINDS[kind];
  return Object.fromEntries([
    ['name', ''],
    ...fields.map(({ name, start }): [string, string] => [name, start?.() ?? '']),
  ]);
}

/** Returns the schema that turns the form of a new channel into the contract's input. */
export function newChannelSchema(kind: ChannelKindName) {
  return z
    .record(z.string(), z.string())
    .transform((texts: Texts, context): { name: string; config: ChannelConfig } => {
      const config = configOf(kind, texts, context);
      return { name: (texts['name'] ?? '').trim(), config };
    });
}

/**
 * Returns the schema that turns the edit form into the contract's input. Fields for secrets start empty, because secrets are
 * never sent to the page. Unchanged fields are not sent, because another tab may have changed them.
 */
export function changedChannelSchema(kind: ChannelKindName, began: Texts) {
  return z
    .record(z.string(), z.string())
    .transform((texts: Texts, context): { name?: string; config?: ChannelConfig } => {
      const name = (texts['name'] ?? '').trim();
      if (name === '') context.addIssue({ code: 'custom', message: 'Enter a name', path: ['name'] });
      const isSame = CHANNEL_KINDS[kind].fields.every(({ name: field }) => texts[field] === began[field]);
      return {
        ...(name !== began['name'] && { name }),
        ...(!isSame && { config: configOf(kind, texts, context) }),
      };
    });
}

function configOf(
  kind: ChannelKindName,
  texts: Texts,
  context: { addIssue: (issue: { code: 'custom'; message: string; path: PropertyKey[] }) => void },
): ChannelConfig {
  const typed = CHANNEL_KINDS[kind].fields
    .map(({ name, isOptional }): [string, string, boolean] => [
      name,
      (texts[name] ?? '').trim(),
      isOptional === true,
    ])
    .filter(([, text, isOptional]) => text !== '' || !isOptional);
  const parsed = channelConfigSchema.safeParse({
    kind,
    ...Object.fromEntries(typed.map(([name, text]) => [name, text])),
  });
  if (parsed.success) return parsed.data;
  for (const { message, path } of parsed.error.issues) context.addIssue({ code: 'custom', message, path });
  return z.NEVER;
}
