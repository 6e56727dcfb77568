/** What one tab tells the others about the session that they share through the cookies. */
export type SessionChange = { type: 'started'; userId: string } | { type: 'ended' };

const CHANNEL_NAME = 'certlantern-session';

/** Tells the other tabs. */
export function announceSession(change: SessionChange): void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.postMessage(change);
  channel.close();
}

/** Hears what happens in other tabs; returns the way to stop. */
export function onSessionElsewhere(listener: (change: SessionChange) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL_NAME);
  channel.addEventListener('message', (message: MessageEvent<SessionChange>) => listener(message.data));
  return () => channel.close();
}
