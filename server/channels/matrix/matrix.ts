import { z } from 'zod';
import { alertLines, htmlWithin, TONE_MARKS, truncateLines } from '../alert-lines.ts';
import { type ChannelDefinition, type EnteredConfig, storedAddress } from '../definition.ts';
import type { AlertContent } from '../messages/alert-input.ts';

/**
 * Channel to a room of Matrix, through a user that is in the room:
 * https://spec.matrix.org/v1.16/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
 */
export const matrix: ChannelDefinition<EnteredConfig<'matrix'>> = {
  stored: z.object({
    kind: z.literal('matrix'),
    homeserver: storedAddress,
    room_id: z.string(),
    access_token: z.string(),
  }),
  enteredAddress: ({ homeserver }) => homeserver,
  toStored: (entered) => entered,
  receiverKey: ({ homeserver, room_id: room }) => `${new URL(homeserver).href} ${room}`,
  maskedTarget: ({ homeserver, room_id: room }) => `${new URL(homeserver).host} ${room}`,
  receiver: {
    // With this transaction id, the homeserver drops a repeated message of the same user.
    posting: ({ homeserver, room_id: room, access_token: token }, { content, messageId }) => ({
      method: 'PUT',
      url: new URL(
        `_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${messageId}`,
        homeserver.endsWith('/') ? homeserver : `${homeserver}/`,
      ).href,
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(matrixMessage(content)),
    }),
    refusals: {
      401: { why: 'the access token is not valid' },
      403: { why: 'the user is not in the room, or may not write there' },
      404: { why: 'there is no homeserver at this address, or no such room' },
    },
    otherRefusals: 'failed',
  },
};

/** Maximum length of the text in characters. The event contains it twice, as plain text and HTML, and may have 65,536 bytes. */
const MAX_TEXT_LENGTH = 4_000;
const MAX_LINE_LENGTH = 2_000;

/**
 * Builds a text message, not an `m.notice`, because clients do not notify people of notices by default. With the empty
 * `m.mentions`, names in the text mention nobody.
 */
export function matrixMessage(content: AlertContent): Record<string, unknown> {
  const { subject, heading, paragraphs, facts, link, tone } = alertLines(content);
  const title = `${TONE_MARKS[tone]} ${subject}`;
  const lines = truncateLines(
    [heading, ...paragraphs, ...facts.map(({ label, value }) => `${label}: ${value}`)],
    MAX_TEXT_LENGTH,
    (text) => text.length,
  );
  const html = (text: string) => htmlWithin(text, MAX_LINE_LENGTH);
  return {
    msgtype: 'm.text',
    body: [title, ...lines, link.url].join('\n\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [
      `<strong>${html(title)}</strong>`,
      ...lines.map(html),
      `<a href="${html(link.url)}">${html(link.label)}</a>`,
    ]
      .map((line) => `<p>${line}</p>`)
      .join(''),
    'm.mentions': {},
  };
}
