import { describe, expect, it } from 'vitest';
import { isExpectedStatus, normaliseExpectedStatus } from './expected-status.ts';

describe('normaliseExpectedStatus', () => {
  it.each([
    ['200', '200'],
    ['401, 200-299,300-399', '200-399,401'],
    ['200-399 , 250-450', '200-450'],
    ['404,200,404', '200,404'],
    ['100-999', '100-999'],
    ['200 - 204', '200-204'],
  ])('turns %j into %j', (text, expected) => {
    expect(normaliseExpectedStatus(text)).toBe(expected);
  });

  it.each([
    '',
    ',',
    '20',
    '2xx',
    '200,',
    '399-200',
    '099',
    '1000',
    '200-',
    '-200',
    '200-300-400',
    '200;401',
    '２００',
  ])('refuses %j', (text) => {
    expect(normaliseExpectedStatus(text)).toBeNull();
  });
});

describe('isExpectedStatus', () => {
  it('accepts only the listed statuses and ranges', () => {
    const accepted = [199, 200, 399, 400, 401, 402, 503].filter((status) =>
      isExpectedStatus(status, '200-399,401'),
    );
    expect(accepted).toEqual([200, 399, 401]);
    expect(isExpectedStatus(503, '503')).toBe(true);
  });

  it('accepts every status but the server errors 500 to 599 if none is listed', () => {
    const accepted = [404, 499, 500, 503, 599, 600, 999].filter((status) => isExpectedStatus(status, null));
    expect(accepted).toEqual([404, 499, 600, 999]);
  });
});
