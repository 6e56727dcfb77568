import { type ServerCertificate, startTlsServer, type TlsPeer } from './tls-server.ts';

export interface GatedPeer extends TlsPeer {
  /** Every ClientHello so far, answered or not, oldest first. `at` is its time in ms UTC. */
  hellos: readonly { serverName: string; at: number }[];
  /** From now on, new handshakes wait. */
  shut(): void;
  /** Returns whether the last handshake with this server name is waiting, or waited until its client gave up. */
  holds(serverName: string): boolean;
  letGo(serverName: string): void;
  /** Answers all waiting handshakes. From now on, new ones are answered at once. */
  open(): void;
}

/** Starts a TLS server that can delay its answers, so that a test decides how long a probe takes. It answers at once until `shut`. */
export async function startGatedServer(certificate: ServerCertificate): Promise<GatedPeer> {
  const hellos: { serverName: string; at: number }[] = [];
  const waiting = new Map<string, () => void>();
  let isShut = false;
  const peer = await startTlsServer(
    { '*': certificate },
    {
      async admit(serverName) {
        hellos.push({ serverName, at: Date.now() });
        if (isShut) await new Promise<void>((resolve) => waiting.set(serverName, resolve));
      },
    },
  );
  const letGo = (serverName: string): void => {
    waiting.get(serverName)?.();
    waiting.delete(serverName);
  };
  return {
    ...peer,
    hellos,
    shut: () => void (isShut = true),
    holds: (serverName) => waiting.has(serverName),
    letGo,
    open() {
      isShut = false;
      for (const serverName of waiting.keys()) letGo(serverName);
    },
  };
}
