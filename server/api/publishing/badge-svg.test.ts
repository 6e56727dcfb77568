import { describe, expect, it } from 'vitest';
import { type BadgeState, badgeSvg, textWidth } from './badge-svg.ts';

const STANDINGS: [standing: BadgeState, word: string, spoken: string][] = [
  [{ state: 'valid', daysLeft: 54 }, 'valid 54 days', 'valid, 54 days left'],
  [{ state: 'valid', daysLeft: 397 }, 'valid 397 days', 'valid, 397 days left'],
  [{ state: 'soon', daysLeft: 14 }, 'expires in 14 days', 'expires in 14 days'],
  [{ state: 'critical', daysLeft: 1 }, 'expires in 1 day', 'expires in 1 day'],
  [{ state: 'critical', daysLeft: 0 }, 'expires today', 'expires today'],
  [{ state: 'expired' }, 'expired', 'expired'],
  [{ state: 'revoked' }, 'revoked', 'revoked'],
  [{ state: 'untrusted' }, 'not trusted', 'not trusted'],
  [{ state: 'down' }, 'down', 'the server is down'],
  [{ state: 'unknown' }, 'unknown', 'not known yet'],
  [{ state: 'paused' }, 'paused', 'not monitored at the moment'],
];

const luminance = (hex: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

describe.each(STANDINGS)('the badge of %j', (standing, word, spoken) => {
  const svg = badgeSvg(standing);

  it('shows the state as text and has an accessible name', () => {
    expect([...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text)).toEqual(['certificate', word]);
    expect(svg).toContain(`role="img" aria-label="Certificate: ${spoken}"><title>Certificate: ${spoken}<`);
  });

  it('is wide enough for its text', () => {
    const width = Number(/width="(\d+)"/.exec(svg)?.[1]);
    const [label, said] = [...svg.matchAll(/<text x="([\d.]+)" y="14" textLength="([\d.]+)"/g)].map(
      ([, x, length]) => ({ from: Number(x), to: Number(x) + Number(length) }),
    );
    const split = Number(/M0 0h(\d+)/.exec(svg)?.[1]);
    expect(label?.to).toBeLessThanOrEqual(split - 5);
    expect(said?.from).toBeGreaterThan(split + 15);
    expect(said?.to).toBeLessThanOrEqual(width - 6);
    expect(said?.to).toBeGreaterThan(width - 8);
  });

  it('has white text with a contrast of at least 4.5', () => {
    for (const [, ground = ''] of svg.matchAll(/<path fill="(#[0-9a-f]{6})"/g))
      expect(1.05 / (luminance(ground) + 0.05)).toBeGreaterThanOrEqual(4.5);
  });

  it('loads nothing, runs nothing and has less than 2,000 bytes', () => {
    expect(svg).not.toMatch(/<script|href|url\((?!#shape\))|@import|on\w+=/);
    expect(Buffer.byteLength(svg)).toBeLessThan(2_000);
  });
});

it('badges of different states can be told apart without their colours', () => {
  const bare = STANDINGS.map(([standing]) => badgeSvg(standing).replaceAll(/fill="#(?!fff)\w+"/g, ''));
  expect(new Set(bare).size).toBe(STANDINGS.length);
});

it('badges use only characters whose width is known', () => {
  expect(textWidth('certificate')).toBe(54.4);
  for (const [, word] of STANDINGS) expect(word).toMatch(/^[a-z0-9 ]+$/);
});
