import { randomUUID } from 'node:crypto';
import type { StoredChannelConfig } from '../../server/channels/kinds/index.ts';
import type { Store } from '../../server/store/db/open-store.ts';
import { DEMO_PERSON } from './account.ts';
import { DAY_MS } from '../../contract/durations.ts';
import { nextDigestAt } from '../../server/core/digest.ts';

/**
 * Hosts of channels, which the demo's name server resolves to this machine, so that the demo sends nothing to the
 * internet.
 */
export const SINK_HOSTS = ['hooks.fjord.example', 'ntfy.fjord.example'];

interface DemoChannel {
  name: string;
  config: StoredChannelConfig;
  /** Reason why the channel gets no alerts; absent if it gets them. */
  trouble?: 'unconfirmed' | 'failing';
}

const channelsAt = (sinkPort: number): DemoChannel[] => [
  { name: 'Operations', config: { kind: 'email', address: 'ops@fjord.example' } },
  {
    name: 'Deployment pipeline',
    config: {
      kind: 'webhook',
      url: `http://hooks.fjord.example:${sinkPort}/certlantern`,
      secrets: [
        { secret: `whsec_${Buffer.from('the demo signs with this, ever').toString('base64')}`, until: null },
      ],
    },
  },
  {
    name: 'Phones on call',
    config: { kind: 'ntfy', server: `http://ntfy.fjord.example:${sinkPort}`, topic: 'on-call' },
  },
  // This channel is switched off as failing, so that the demo never sends anything to the real Slack.
  {
    name: '#certificates',
    config: {
      kind: 'slack',
      url: 'https://hooks.slack.com/services/T00DEMO00/B00DEMO00/nothing-is-sent-here',
    },
    trouble: 'failing',
  },
  {
    name: 'tove@orchard.example',
    config: { kind: 'email', address: 'tove@orchard.example' },
    trouble: 'unconfirmed',
  },
];

/** Adds the demo's channels to the account, sets its time zone and turns on the weekly digest. */
export async function openDemoChannels(
  store: Store,
  { accountId, sinkPort, since, now }: { accountId: string; sinkPort: number; since: number; now: number },
): Promise<void> {
  await store.db
    .insertInto('channels')
    .values(
      channelsAt(sinkPort).map(({ name, config, trouble }, index) => ({
        id: randomUUID(),
        account_id: accountId,
        kind: config.kind,
        name,
        config: JSON.stringify(config),
        created_at: since + index * DAY_MS,
        confirmed_at: trouble === 'unconfirmed' ? null : since + index * DAY_MS,
        ...(trouble === 'failing'
          ? {
              disabled_at: now - 2 * DAY_MS,
              disabled_by: 'failing' as const,
              failing_since: now - 7 * DAY_MS,
            }
          : {}),
      })),
    )
    .execute();
  await store.db
    .updateTable('accounts')
    .set({
      time_zone: 'Europe/Oslo',
      digest_next_at: nextDigestAt(now, 'Europe/Oslo'),
      reached_out_at: since,
    })
    .where('email', '=', DEMO_PERSON.email)
    .execute();
}
