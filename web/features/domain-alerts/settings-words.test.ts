import { describe, expect, it } from 'vitest';
import type { AlertSettingsWire } from '../../../contract/alerting.ts';
import type { ChannelWire } from '../../../contract/channel.ts';
import { ownLine, partLine, withoutPart } from './settings-words.ts';

const plain: AlertSettingsWire = { channels: null, steps: null, quiet_hours: null, muted: [] };
const channel = (key: string, name: string): ChannelWire => ({
  key,
  name,
  kind: 'webhook',
  target: name,
  state: 'open',
  detail: null,
  last_delivered_at: null,
  failing_since: null,
  created_at: null,
});
const channels = [channel('email', 'Email'), channel('c1', 'Operations')];

describe("the summary of a domain's alert settings", () => {
  it.each([
    ['steps', {}, 'Automatic, scaled with the lifetime'],
    [
      'steps',
      { steps: ['10%', '7d', '30d'] },
      '30 days before, 7 days before, 10% of its lifetime left, and when it expires',
    ],
    ['channels', {}, 'All channels'],
    ['channels', { channels: ['email', 'c1'] }, 'Email, Operations'],
    ['channels', { channels: ['gone'] }, 'None left: alerts go to your own address'],
    ['quiet_hours', {}, 'None'],
    [
      'quiet_hours',
      { quiet_hours: { from_minute: 1320, to_minute: 425, critical_always: true } },
      '22:00 to 7:05, except critical alerts',
    ],
    ['muted', {}, 'All events'],
    ['muted', { muted: ['uptime', 'good_news'] }, 'All events except outages and recovery'],
  ] as const)('for %s with the change %j reads: %s', (part, change, line) => {
    expect(partLine(part, { ...plain, ...(change as Partial<AlertSettingsWire>) }, channels)).toBe(line);
  });

  it('counts channels until their names are loaded', () => {
    expect(partLine('channels', { ...plain, channels: ['email', 'c1'] }, undefined)).toBe('2 channels');
  });

  it('lists the settings that a domain has of its own', () => {
    expect(ownLine({})).toBe('Account defaults');
    expect(ownLine({ quiet_hours: null, steps: ['7d'] })).toBe('Custom steps and quiet hours');
    expect(withoutPart({ quiet_hours: null, steps: ['7d'] }, 'steps')).toEqual({ quiet_hours: null });
  });
});
