import type { DeliveryOutcome } from '../channel.ts';

/** One mail to one person, complete but for what the channel itself adds (sender, date, logo). */
export interface EmailMessage {
  to: string;
  subject: string;
  html: string;
  text: string;
  /** With angle brackets; the same on every attempt, so that a repeated mail is recognisable as one. */
  messageId: string;
  /** Where an answer goes; the sender's own address where this is missing. */
  replyTo?: string;
  headers?: Record<string, string>;
}

export interface EmailChannel {
  /** Never throws for a mail server's sake; ends as `retry` when `signal` aborts. */
  deliver(message: EmailMessage, signal: AbortSignal): Promise<DeliveryOutcome>;
  close(): void;
}
