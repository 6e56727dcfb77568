import { expect, it } from 'vitest';
import { timeZoneOptions } from './time-zones.ts';

const UTC = { value: 'UTC', label: 'UTC only' };

it('the time zone list offers UTC first, then zones by region with readable names', () => {
  const zones = ['Europe/Oslo', 'America/Argentina/Buenos_Aires', 'Europe/Berlin'];
  expect(timeZoneOptions({ zones, own: 'Etc/GMT+3', here: 'UTC' })).toEqual([
    UTC,
    {
      group: 'America',
      options: [{ value: 'America/Argentina/Buenos_Aires', label: 'Buenos Aires, Argentina' }],
    },
    { group: 'Etc', options: [{ value: 'Etc/GMT+3', label: 'GMT+3' }] },
    {
      group: 'Europe',
      options: [
        { value: 'Europe/Berlin', label: 'Berlin' },
        { value: 'Europe/Oslo', label: 'Oslo' },
      ],
    },
  ]);
});

it('the time zone list offers the zone of the browser before the regions, unless the account has that zone', () => {
  const zones = ['America/New_York'];
  expect(timeZoneOptions({ zones, own: null, here: 'America/New_York' })).toEqual([
    UTC,
    { group: 'This browser', options: [{ value: 'America/New_York', label: 'America/New York' }] },
  ]);
  expect(timeZoneOptions({ zones, own: 'America/New_York', here: 'America/New_York' })).toEqual([
    UTC,
    { group: 'America', options: [{ value: 'America/New_York', label: 'New York' }] },
  ]);
});

it('the time zone list includes zones without a region', () => {
  expect(timeZoneOptions({ zones: ['UTC'], own: 'EST', here: 'UTC' })).toEqual([
    UTC,
    { group: 'Other', options: [{ value: 'EST', label: 'EST' }] },
  ]);
});

it('the time zone list has the current names of zones that the browser lists by older ones', () => {
  const zones = ['Europe/Kiev', 'Asia/Calcutta', 'Asia/Rangoon', 'Asia/Saigon'];
  expect(timeZoneOptions({ zones, own: 'Europe/Kyiv', here: 'Asia/Calcutta' })).toEqual([
    UTC,
    { group: 'This browser', options: [{ value: 'Asia/Kolkata', label: 'Asia/Kolkata' }] },
    {
      group: 'Asia',
      options: [
        { value: 'Asia/Ho_Chi_Minh', label: 'Ho Chi Minh' },
        { value: 'Asia/Yangon', label: 'Yangon' },
      ],
    },
    { group: 'Europe', options: [{ value: 'Europe/Kyiv', label: 'Kyiv' }] },
  ]);
});
