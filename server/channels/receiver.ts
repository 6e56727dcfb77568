import type { OutgoingAlert } from './channel.ts';

/** One JSON document to post. */
export interface Posting {
  /** As the person gave it; one that is none is refused where all of them are judged. */
  url: string;
  /** Beside the type of the content. */
  headers?: Readonly<Record<string, string>>;
  body: string;
}

/** Why a status is the receiver's last word, for people; `gone`: nothing will ever be taken there. */
export interface Refusal {
  why: string;
  cause?: 'gone';
}

/** A kind of receiver that takes alerts by HTTP: the form it wants them in, and what it means by what it answers. */
export interface Receiver<Config> {
  /** As people call it. */
  name: string;
  /** Pure: the same alert is the same posting. */
  posting(config: Config, outgoing: OutgoingAlert): Posting;
  /** By status. */
  refusals: Readonly<Record<number, Refusal>>;
  /** What any other 4xx means that asks for no patience. */
  otherRefusals: 'failed' | 'retry';
}
