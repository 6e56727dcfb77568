import type { AlertMessageInput, Words } from './alert-input.ts';
import { instant } from './wording.ts';

/** What somebody asked for to see whether a channel works. */
export function testWords({
  alertedAt,
  productName,
  publicUrl,
  timeZone,
}: AlertMessageInput & { timeZone: string }): Words {
  return {
    badge: { tone: 'ok', text: 'Test' },
    preheader: 'Nothing is wrong. Alerts about your domains will arrive here.',
    heading: 'This is a test, and it arrived.',
    paragraphs: [
      `Nothing is wrong. Somebody at ${productName} asked whether this channel works; alerts will come here just like this.`,
    ],
    facts: [
      { label: 'Sent by', value: publicUrl.host, mono: true },
      { label: 'Asked for', value: instant(alertedAt, timeZone) },
    ],
    schedule: 'A test is sent only when somebody asks for it.',
  };
}
