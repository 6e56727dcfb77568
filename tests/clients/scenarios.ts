import { CHAIN_SCENARIOS } from './chain-scenarios.ts';
import { EXTENSION_SCENARIOS } from './extension-scenarios.ts';
import { KEY_SCENARIOS } from './key-scenarios.ts';
import { NAME_SCENARIOS } from './name-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** Every odd server. No two have the same name. */
export const SCENARIOS: readonly Scenario[] = [
  ...KEY_SCENARIOS,
  ...EXTENSION_SCENARIOS,
  ...NAME_SCENARIOS,
  ...CHAIN_SCENARIOS,
];
