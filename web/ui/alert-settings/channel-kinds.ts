import {
  Bell,
  Gamepad2,
  Hash,
  type LucideIcon,
  Mail,
  MessagesSquare,
  Send,
  Siren,
  Users,
  Webhook,
} from 'lucide-react';
import type { ChannelKindName } from '../../../contract/words.ts';

export interface ChannelField {
  /** Name of the property in the contract's config. */
  name: string;
  label: string;
  placeholder?: string;
  hint?: string;
  /** Whether the field may stay empty. */
  isOptional?: boolean;
  /** Shown in the monospace font. */
  isMono?: boolean;
  inputMode?: 'url' | 'email';
  /** Options of a select field; if absent, the field is a text field. */
  choices?: { value: string; label: string }[];
  /** Returns the initial text of the field. */
  start?: () => string;
}

export interface ChannelKind {
  icon: LucideIcon;
  /** One line that describes the kind in the list of kinds. */
  note: string;
  /** Instructions for getting the values of the fields. */
  steps: string[];
  fields: [ChannelField, ...ChannelField[]];
}

const WEBHOOK_ADDRESS = { label: 'Webhook address', isMono: true, inputMode: 'url' } as const;

/** What the page shows of each kind of channel, and the fields of its form. */
export const CHANNEL_KINDS: Record<ChannelKindName, ChannelKind> = {
  email: {
    icon: Mail,
    note: 'To another person, who must agree first',
    steps: [
      'Enter the address. Mailing lists and ticket systems work too.',
      'We email a link to this address, and nothing else until the recipient agrees.',
    ],
    fields: [{ name: 'address', label: 'Email address', placeholder: 'ops@example.com', inputMode: 'email' }],
  },
  webhook: {
    icon: Webhook,
    note: 'Signed JSON to your own server',
    steps: [
      'Your server must accept POST or PUT requests with JSON and answer with a status from 200 to 299.',
      'Enter its address. You then get a signing key, which is shown once.',
      'Verify the signature of every message with a Standard Webhooks library; this takes one line of code.',
    ],
    fields: [
      { name: 'url', ...WEBHOOK_ADDRESS, label: 'Address', placeholder: 'https://example.com/hook' },
      {
        name: 'method',
        label: 'Method',
        isOptional: true,
        choices: ['POST', 'PUT'].map((value) => ({ value, label: value })),
        start: () => 'POST',
      },
    ],
  },
  slack: {
    icon: Hash,
    note: 'A message in a channel',
    steps: [
      'Open api.slack.com/apps and create an app from scratch in your workspace.',
      'Open Incoming Webhooks and switch them on.',
      'Choose Add New Webhook, then the channel, and copy the address that appears.',
    ],
    fields: [{ name: 'url', ...WEBHOOK_ADDRESS, placeholder: 'https://hooks.slack.com/services/…' }],
  },
  discord: {
    icon: Gamepad2,
    note: 'A message in a text channel',
    steps: [
      'Open the settings of the text channel, then Integrations.',
      'Choose Webhooks, then New Webhook.',
      'Choose Copy Webhook URL.',
    ],
    fields: [{ name: 'url', ...WEBHOOK_ADDRESS, placeholder: 'https://discord.com/api/webhooks/…' }],
  },
  teams: {
    icon: Users,
    note: 'A card in a channel, sent by a workflow',
    steps: [
      'In Teams, open the menu beside the channel, then Workflows.',
      'Choose “Post to a channel when a webhook request is received”, and save it.',
      'Copy the whole address that the workflow shows.',
    ],
    fields: [{ name: 'url', ...WEBHOOK_ADDRESS, label: 'Workflow address', placeholder: 'https://…' }],
  },
  telegram: {
    icon: Send,
    note: 'A message from your bot',
    steps: [
      'Send /newbot to @BotFather. The reply contains the bot token.',
      'Start a chat with your bot, or add it to your group, and send a message there.',
      'Open https://api.telegram.org/bot<token>/getUpdates with your token. The chat ID is the number after “chat” and “id”; of a public channel it is @ followed by the channel’s name.',
    ],
    fields: [
      { name: 'bot_token', label: 'Bot token', placeholder: '123456789:AA…', isMono: true },
      { name: 'chat_id', label: 'Chat ID', placeholder: '-1001234567890', isMono: true },
    ],
  },
  pagerduty: {
    icon: Siren,
    note: 'An incident that closes when the problem ends',
    steps: [
      'Open the service, then Integrations.',
      'Add an integration and choose Events API v2.',
      'Copy its Integration Key.',
    ],
    fields: [
      { name: 'routing_key', label: 'Integration key', isMono: true },
      {
        name: 'region',
        label: 'Service region',
        choices: [
          { value: 'us', label: 'United States' },
          { value: 'eu', label: 'Europe' },
        ],
        start: () => 'us',
      },
    ],
  },
  ntfy: {
    icon: Bell,
    note: 'A push message to your phone',
    steps: [
      'Anyone who knows the name of a topic can read its messages. Use the random name below, or a topic that your server protects.',
      'Subscribe to the topic in the ntfy app.',
    ],
    fields: [
      { name: 'topic', label: 'Topic', isMono: true, start: unguessableTopic },
      {
        name: 'server',
        label: 'Server',
        isMono: true,
        inputMode: 'url',
        isOptional: true,
        start: () => 'https://ntfy.sh',
      },
      {
        name: 'access_token',
        label: 'Access token',
        isMono: true,
        isOptional: true,
        hint: 'Only for protected topics',
      },
    ],
  },
  matrix: {
    icon: MessagesSquare,
    note: 'A message in a room',
    steps: [
      'Create a user for the alerts on your homeserver, and invite it to a room without encryption. Sign in as this user and accept the invitation.',
      'Copy the access token. In Element it is under All settings, then Help & About.',
      'Copy the internal room ID. In Element it is in the settings of the room, under Advanced.',
    ],
    fields: [
      {
        name: 'homeserver',
        label: 'Homeserver',
        placeholder: 'https://matrix.example.com',
        isMono: true,
        inputMode: 'url',
      },
      { name: 'room_id', label: 'Room ID', placeholder: '!AbCdEfGh:example.com', isMono: true },
      { name: 'access_token', label: 'Access token', isMono: true },
    ],
  },
};

function unguessableTopic(): string {
  const figures = crypto.getRandomValues(new Uint8Array(10));
  return `certificates-${Array.from(figures, (figure) => figure.toString(36).padStart(2, '0')).join('')}`;
}
