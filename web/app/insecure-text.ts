export const INSECURE_TEXT =
  'This server is reached over plain http: passwords and sessions can be read on the way. Use it on a network that you trust.';
