import { expect, it } from 'vitest';
import { timeZoneGroups } from './time-zones.ts';

it('groups the zones by region, each in words', () => {
  const zones = ['Europe/Oslo', 'America/Argentina/Buenos_Aires', 'Europe/Berlin'];
  expect(timeZoneGroups(zones, 'Etc/GMT+3')).toEqual([
    {
      region: 'America',
      zones: [{ zone: 'America/Argentina/Buenos_Aires', label: 'Buenos Aires, Argentina' }],
    },
    { region: 'Etc', zones: [{ zone: 'Etc/GMT+3', label: 'GMT+3' }] },
    {
      region: 'Europe',
      zones: [
        { zone: 'Europe/Berlin', label: 'Berlin' },
        { zone: 'Europe/Oslo', label: 'Oslo' },
      ],
    },
  ]);
});

it('knows zones without a region, and leaves out UTC', () => {
  expect(timeZoneGroups(['UTC'], 'EST')).toEqual([
    { region: 'Other', zones: [{ zone: 'EST', label: 'EST' }] },
  ]);
  expect(timeZoneGroups([], null)).toEqual([]);
});
