import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { check } from './form.ts';

const schema = z.object({
  name: z.string().trim().min(1, 'Please enter your name'),
  password: z.string().min(7, 'Too short').regex(/\d/, 'No digit'),
});

describe('a form', () => {
  it('returns the parsed values', () => {
    expect(check(schema, { name: ' Alice ', password: 'horse-77' })).toEqual({
      ok: true,
      output: { name: 'Alice', password: 'horse-77' },
    });
  });

  it('returns one error per invalid field', () => {
    expect(check(schema, { name: '', password: 'horse' })).toEqual({
      ok: false,
      errors: { name: 'Please enter your name', password: 'Too short' },
    });
  });
});
