import type { UnsubscribePair } from '../../core/account-mail.ts';
import { oneLine } from '../../core/one-line.ts';
import type { AlertContent, AlertMessageInput } from './alert-input.ts';
import type { DrawnMail } from './mail-layout.ts';
import { type RenderedMessage, renderMail, unsubscribeHeaders, unsubscribeLink } from './rendered-message.ts';

export interface AlertMailInput {
  /** Recipient of the mail: the owner of the domain, or a person whose address the owner added. */
  recipient: 'account' | 'added';
  /** Email address of the owner. It is not the owner's name, because added recipients must not see text that a stranger chose. */
  accountEmail: string;
  /** Monitor that the alert is about; null for a test message. */
  monitor: AlertMessageInput['monitor'];
  /** Whether the alert names several domains. */
  isAboutSeveral: boolean;
  /**
   * Tokens that unsubscribe this recipient: from alerts about the domain if the alert is about exactly one, else from all alerts.
   */
  tokens: UnsubscribePair<string>;
  productName: string;
  publicUrl: URL;
}

/** Renders an alert as a mail. The mail says why this address gets it, and has links to change that. */
export function alertMail(content: AlertContent, input: AlertMailInput): RenderedMessage {
  const { monitor, productName, publicUrl, recipient } = input;
  const { subject, preheader, badge, heading, paragraphs, bullets, bar, facts, button, schedule } = content;
  // The owner requested this test message, so there is nothing to unsubscribe from.
  const isOwnTest = monitor === null && recipient === 'account';
  const change = { label: 'Change alerts', url: new URL('/alerts', publicUrl).href };
  const stop = {
    label: monitor === null || input.isAboutSeveral ? 'Stop these emails' : 'Stop emails for this host',
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
    ...(bullets && { bullets }),
    ...(badge && { badge }),
    ...(bar && { bar }),
    footer: `${reasonOf(input)} ${schedule}`,
    links: [...(recipient === 'account' ? [change] : []), ...(isOwnTest ? [] : [stop])],
  };
  return {
    ...renderMail(drawn),
    headers: isOwnTest ? {} : unsubscribeHeaders(input.tokens, publicUrl),
  };
}

function reasonOf({ accountEmail, monitor, isAboutSeveral, productName, recipient }: AlertMailInput): string {
  const what = isAboutSeveral ? 'these hosts' : 'this host';
  const name = oneLine(accountEmail) || 'Somebody';
  if (monitor === null)
    return recipient === 'account'
      ? `You get this because you requested a test in ${productName}.`
      : `You get this because ${name} requested a test of your alerts in ${productName}.`;
  return recipient === 'account'
    ? `You get this because you track ${what} in ${productName}.`
    : `You get this because ${name} tracks ${what} in ${productName}, and you agreed to get alerts.`;
}
