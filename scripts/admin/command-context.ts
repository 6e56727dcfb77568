import type { Config } from '../../server/config.ts';
import type { Store } from '../../server/store/db/open-store.ts';

/** Dependencies and options of a command. */
export interface CommandContext {
  store: Store;
  config: Config;
  /** Returns the secret of the built-in identity provider. @throws ConfigError if DATA_DIR has no secrets.json. */
  identitySecret: () => string;
  /** Value of `--days`; null without the option. */
  days: number | null;
  now: number;
}
