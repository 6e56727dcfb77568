import { ANCHOR_SCENARIOS } from './anchor-scenarios.ts';
import { CHAIN_SCENARIOS } from './chain-scenarios.ts';
import { CONSTRAINT_SCENARIOS } from './constraint-scenarios.ts';
import { EMAIL_SCENARIOS } from './email-scenarios.ts';
import { EXTENSION_SCENARIOS } from './extension-scenarios.ts';
import { HANDSHAKE_SCENARIOS } from './handshake-scenarios.ts';
import { HELLO_SCENARIOS } from './hello-scenarios.ts';
import { HTTP2_SCENARIOS } from './http2-scenarios.ts';
import { KEY_SCENARIOS } from './key-scenarios.ts';
import { LIMIT_SCENARIOS } from './limit-scenarios.ts';
import { MALFORMED_SCENARIOS } from './malformed-scenarios.ts';
import { NAME_SCENARIOS } from './name-scenarios.ts';
import { ORDER_SCENARIOS } from './order-scenarios.ts';
import { PATH_SCENARIOS } from './path-scenarios.ts';
import { PROXY_SCENARIOS } from './proxy-scenarios.ts';
import { PSS_SCENARIOS } from './pss-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { SEVERAL_SCENARIOS } from './several-scenarios.ts';
import { STAPLE_SCENARIOS } from './staple-scenarios.ts';

/** Every odd server. No two have the same name. */
export const SCENARIOS: readonly Scenario[] = [
  ...KEY_SCENARIOS,
  ...EXTENSION_SCENARIOS,
  ...MALFORMED_SCENARIOS,
  ...CONSTRAINT_SCENARIOS,
  ...NAME_SCENARIOS,
  ...CHAIN_SCENARIOS,
  ...PATH_SCENARIOS,
  ...ANCHOR_SCENARIOS,
  ...HANDSHAKE_SCENARIOS,
  ...HTTP2_SCENARIOS,
  ...STAPLE_SCENARIOS,
  ...LIMIT_SCENARIOS,
  ...PSS_SCENARIOS,
  ...EMAIL_SCENARIOS,
  ...ORDER_SCENARIOS,
  ...PROXY_SCENARIOS,
  ...HELLO_SCENARIOS,
  ...SEVERAL_SCENARIOS,
];
