/**
 * Error for an environment variable with an invalid value. The message is one line that names the variable and what to
 * set.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
