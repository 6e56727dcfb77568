import { expect, it } from 'vitest';
import { channelSchema, OWN_MAIL } from '../../../contract/channel.ts';
import { channelState } from './channel-state.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const channel = {
  key: '1',
  kind: 'webhook',
  state: 'open',
  target: 'hooks.example',
  detail: null,
  last_delivered_at: null,
  failing_since: null,
} as const;

it('the state of a healthy channel says when the last delivery was', () => {
  expect(channelState(channel, NOW)).toEqual({ text: 'Nothing sent yet', mark: null, remedy: null });
  expect(channelState({ ...channel, last_delivered_at: '2026-11-21T11:58:00Z' }, NOW).text).toMatch(
    /^Last delivered 2 min/,
  );
});

it('the state of a failing channel says since when and why deliveries fail', () => {
  const failing = { ...channel, failing_since: '2026-11-19T12:00:00Z', detail: 'HTTP 503' };
  expect(channelState(failing, NOW)).toMatchObject({
    text: 'Failing since 19 November 2026; we keep retrying: HTTP 503',
    mark: 'soon',
  });
  const minute = { ...failing, failing_since: '2026-11-21T11:59:00Z' };
  expect(channelState(minute, NOW).text).toBe('First failed 1 min ago; we keep retrying: HTTP 503');
});

it('each state of a channel offers the action that can repair the channel', () => {
  const remedies = channelSchema.shape.state.options.map((state) => [
    state,
    channelState({ ...channel, state }, NOW).remedy,
  ]);
  expect(Object.fromEntries(remedies)).toEqual({
    open: null,
    unconfirmed: 'ask_again',
    off: null,
    gone: 'edit',
    failing: 'try_again',
    refused: 'ask_again',
    unsubscribed: null,
    broken: 'edit',
    plan: 'upgrade',
  });
});

it('only the owner of the account can resume emails after an unsubscription', () => {
  const own = { ...channel, key: OWN_MAIL, kind: 'email', state: 'unsubscribed' } as const;
  expect(channelState(own, NOW).remedy).toBe('get_again');
  expect(channelState({ ...own, key: '2' }, NOW).remedy).toBe(null);
  expect(channelState({ ...own, state: 'refused' }, NOW).remedy).toBe('try_again');
});
