import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.ts';
import { egressWarning } from './egress-config.ts';

describe('the file whose names win over DNS', () => {
  const EGRESS_ALLOW_CIDRS = '10.0.0.0/8';
  it.each<[Record<string, string>, string | null, string | null]>([
    [{}, null, null],
    [{ EGRESS_ALLOW_CIDRS }, '/etc/hosts', null],
    [{ EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite' }, '/etc/hosts', '/etc/hosts'],
    [{ CHANNEL_ALLOW_CIDRS: '10.0.0.5' }, null, '/etc/hosts'],
    [{ EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite', HOSTS_FILE: 'off' }, null, null],
    [{ HOSTS_FILE: 'On' }, '/etc/hosts', '/etc/hosts'],
    [{ HOSTS_FILE: '/srv/hosts' }, '/srv/hosts', '/srv/hosts'],
  ])('with the environment %j is %j for checks and %j for channels', (environment, checks, channels) => {
    expect(parseConfig(environment)).toMatchObject({ hostsFile: checks, channelHostsFile: channels });
  });
});

describe('the access of strangers to the operator’s network', () => {
  const EGRESS_ALLOW_CIDRS = '10.0.0.0/8';
  const reach = (environment: Record<string, string>) => {
    const { tryIt, channelAllowCidrs } = parseConfig(environment);
    return { tryIt, channelAllowCidrs };
  };

  it.each([
    [{}, { tryIt: true, channelAllowCidrs: [] }],
    [{ TRY_IT: 'off' }, { tryIt: false, channelAllowCidrs: [] }],
    [{ EGRESS_ALLOW_CIDRS }, { tryIt: false, channelAllowCidrs: [] }],
    [
      { EGRESS_ALLOW_CIDRS, TRY_IT: 'on' },
      { tryIt: true, channelAllowCidrs: [] },
    ],
    [
      { EGRESS_ALLOW_CIDRS, CHANNEL_ALLOW_CIDRS: '10.0.0.5 fd00::/8' },
      { tryIt: false, channelAllowCidrs: ['10.0.0.5/32', 'fd00::/8'] },
    ],
    // If sign-up is not open, channels may reach the ranges that are open to checks, unless CHANNEL_ALLOW_CIDRS is set.
    [
      { EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite' },
      { tryIt: false, channelAllowCidrs: ['10.0.0.0/8'] },
    ],
    [
      { EGRESS_ALLOW_CIDRS, SIGNUPS: 'closed' },
      { tryIt: false, channelAllowCidrs: ['10.0.0.0/8'] },
    ],
    [
      { EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite', CHANNEL_ALLOW_CIDRS: 'none' },
      { tryIt: false, channelAllowCidrs: [] },
    ],
    [
      { SIGNUPS: 'closed', TRY_IT: 'on' },
      { tryIt: false, channelAllowCidrs: [] },
    ],
  ])('with the environment %j is %j', (environment, expected) => {
    expect(reach(environment)).toEqual(expected);
  });

  it('causes a warning at startup if sign-up is open and internal ranges are allowed', () => {
    const said = (environment: Record<string, string>) => egressWarning(parseConfig(environment));
    expect(said({})).toBeNull();
    expect(said({ EGRESS_ALLOW_CIDRS, SIGNUPS: 'invite' })).toBeNull();
    expect(said({ EGRESS_ALLOW_CIDRS })).toBe(
      'SIGNUPS=open lets anybody have hosts in 10.0.0.0/8 checked (EGRESS_ALLOW_CIDRS). Set SIGNUPS=invite if not everybody may reach these ranges. Webhooks and other channels reach these ranges only if CHANNEL_ALLOW_CIDRS lists them.',
    );
    expect(said({ EGRESS_ALLOW_CIDRS, TRY_IT: 'on', CHANNEL_ALLOW_CIDRS: '10.0.0.5' })).toBe(
      'SIGNUPS=open lets anybody have hosts in 10.0.0.0/8 checked (EGRESS_ALLOW_CIDRS), even without an account (TRY_IT=on), and have messages sent to 10.0.0.5/32 (CHANNEL_ALLOW_CIDRS). Set SIGNUPS=invite if not everybody may reach these ranges.',
    );
    expect(said({ CHANNEL_ALLOW_CIDRS: '10.0.0.5' })).toMatch(
      /^SIGNUPS=open lets anybody have messages sent to 10\.0\.0\.5\/32 \(CHANNEL_ALLOW_CIDRS\)\. Set/,
    );
  });
});
