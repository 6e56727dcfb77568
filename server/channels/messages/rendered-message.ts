/** A mail in words, for the moment in which it was rendered. */
export interface RenderedMessage {
  subject: string;
  preheader: string;
  html: string;
  text: string;
  /** Where an answer goes; the sender's own address where this is missing. */
  replyTo?: string;
  headers?: Record<string, string>;
}
