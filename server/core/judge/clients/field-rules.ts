import type { ClientRule, Link } from './client-rule.ts';

/** Rules about the encoding of a certificate. */
export const FIELD_RULES: readonly ClientRule<Link>[] = [
  {
    code: 'negative_serial_number',
    clients: ['go'],
    source: 'release notes of Go 1.23',
    applies: ({ certificate: { serialNumber } }) => Number.parseInt(serialNumber.slice(0, 2), 16) >= 0x80,
  },
  {
    code: 'early_date',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { notBefore } }) => notBefore < 0,
  },
  {
    code: 'explicit_default',
    clients: ['chromium'],
    source: 'measured; X.690 §11.5',
    applies: ({ certificate: { extensions } }) =>
      [...extensions.values()].some(({ writesDefault }) => writesDefault),
    ofAnchor: 'too',
  },
  {
    code: 'long_path_length',
    clients: ['chromium', 'firefox'],
    source: 'measured: both read one byte',
    applies: ({ certificate: { basicConstraints } }) => (basicConstraints?.pathLength ?? 0) > 255,
    ofAnchor: 'too',
  },
  {
    code: 'long_path_length',
    clients: ['firefox'],
    source: 'measured',
    applies: ({ certificate: { basicConstraints } }) =>
      (basicConstraints?.pathLength ?? 0) > 127 && (basicConstraints?.pathLength ?? 0) <= 255,
    ofAnchor: 'too',
  },
];
