/** Whether people reach an endpoint; `unknown` where our own side keeps us from telling. */
export type Uptime = 'up' | 'down' | 'unknown';
