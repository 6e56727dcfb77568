/** A value that makes no sense: the message names the variable and says what to do, in one line. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
