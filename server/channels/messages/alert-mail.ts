import { oneLine, type UnsubscribePair } from '../../core/index.ts';
import type { AlertContent, AlertMessageInput } from './alert-input.ts';
import { type DrawnMail, mailLayout } from './mail-layout.ts';
import { plainText } from './plain-text.ts';
import type { RenderedMessage } from './rendered-message.ts';
import { unsubscribeHeaders, unsubscribeLink } from './unsubscribing.ts';

export interface AlertMailInput {
  /** Who owns the domain, or somebody whose address that one added. */
  recipient: 'account' | 'added';
  /** The owner's address: readers who were added get no free text of a stranger. */
  accountName: string;
  /** null: a test of the channel. */
  monitor: AlertMessageInput['monitor'];
  /** Of this recipient, and of the domain where there is one. */
  tokens: UnsubscribePair<string>;
  productName: string;
  publicUrl: URL;
}

/** An alert as a mail: its words, why this address gets it, and the ways to have it otherwise. */
export function alertMail(content: AlertContent, input: AlertMailInput): RenderedMessage {
  const { monitor, productName, publicUrl, recipient } = input;
  const { subject, preheader, badge, heading, paragraphs, bar, facts, button, schedule } = content;
  // What the owner asked to have sent to himself is no list that could be left.
  const isAsked = monitor === null && recipient === 'account';
  const change = { label: 'Change alerts', url: new URL('/alerts', publicUrl).href };
  const stop = {
    label: monitor === null ? 'Stop these emails' : 'Stop emails for this host',
    url: unsubscribeLink(input.tokens, publicUrl),
  };
  const drawn: DrawnMail = {
    title: subject,
    preheader,
    productName,
    heading,
    paragraphs,
    facts,
    button,
    ...(badge && { badge }),
    ...(bar && { bar }),
    footer: `${why(input)} ${schedule}`,
    links: [...(recipient === 'account' ? [change] : []), ...(isAsked ? [] : [stop])],
  };
  return {
    subject,
    preheader,
    html: mailLayout(drawn),
    text: plainText(drawn),
    headers: isAsked ? {} : unsubscribeHeaders(input.tokens, publicUrl),
  };
}

function why({ accountName, monitor, productName, recipient }: AlertMailInput): string {
  const name = oneLine(accountName) || 'Somebody';
  if (monitor === null)
    return recipient === 'account'
      ? `You get this because you asked for a test in ${productName}.`
      : `You get this because ${name} tests whether alerts of ${productName} reach you.`;
  return recipient === 'account'
    ? `You get this because you track this host in ${productName}.`
    : `You get this because ${name} tracks this host in ${productName}, and you agreed to be told.`;
}
