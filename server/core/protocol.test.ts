import { expect, it } from 'vitest';
import { PROTOCOL_NAMES } from '../../contract/domain.ts';
import { PROTOCOLS } from './protocol.ts';

it('has the protocols that the wire has', () => {
  expect(PROTOCOLS).toEqual(PROTOCOL_NAMES);
});
