import { randomUUID } from 'node:crypto';
import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bounceAddress, isGenuine, readBounceAddress } from '../../server/channels/email/bounce-address.ts';
import { readDeliveryReport } from '../../server/channels/email/delivery-report.ts';
import { outOfOffice, postfixReport } from './delivery-reports.ts';

const TO = 'bounces+mark@certlantern.example';
const read = (text: string) => readDeliveryReport(Buffer.from(text));

describe('a delivery report', () => {
  it('a delivery report contains the bounce address, the status and the reply of the server that refused the mail', () => {
    expect(read(postfixReport({ to: TO }))).toEqual({
      sentTo: [TO],
      status: '5.1.1',
      diagnostic: '550 5.1.1 <alice@fjord.example>: Recipient address rejected: User unknown',
    });
  });

  it('can be read with CRLF line ends and in base64', () => {
    const plain = postfixReport({ to: TO });
    expect(read(plain.replaceAll('\n', '\r\n'))?.status).toBe('5.1.1');
    const [, fields = ''] =
      /delivery-status\n\n([^]*?)\n\n--7F0A/.exec(plain.slice(plain.indexOf('report\n'))) ?? [];
    const encoded = Buffer.from(fields.replaceAll('\n', '\r\n')).toString('base64');
    const inBase64 = plain.replace(
      `message/delivery-status\n\n${fields}`,
      `message/delivery-status\nContent-Transfer-Encoding: base64\n\n${encoded}`,
    );
    expect(inBase64).not.toContain('Final-Recipient');
    expect(read(inBase64)?.status).toBe('5.1.1');
  });

  it.each([
    ['a report of a delay', postfixReport({ to: TO, action: 'delayed', status: '4.4.1' })],
    ['a report of a delivery', postfixReport({ to: TO, action: 'delivered', status: '2.0.0' })],
    ['a report with an incomplete status', postfixReport({ to: TO, status: '5' })],
    ['an out-of-office reply', outOfOffice(TO)],
    ['an empty mail', ''],
    ['a truncated report', postfixReport({ to: TO }).slice(0, 500)],
    ['a report without a boundary', postfixReport({ to: TO }).replace(/;\n\tboundary="[^"]+"/, '')],
  ])('the parser of delivery reports ignores %s', (_, text) => {
    expect(read(text)).toBeNull();
  });

  it('never makes its parser throw, whatever bytes it has', () => {
    const start = Buffer.from(
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n',
    );
    assert(
      property(uint8Array({ maxLength: 400 }), (bytes) => {
        readDeliveryReport(Buffer.from(bytes));
        readDeliveryReport(Buffer.concat([start, Buffer.from(bytes)]));
      }),
    );
  });

  it('is ignored if its parts are deeply nested or its headers very long', () => {
    const nested = 'Content-Type: multipart/mixed; boundary=a\n\n--a\n'.repeat(3_000);
    const report = `Content-Type: multipart/report; report-type=delivery-status; boundary=a\n\n--a\n${nested}`;
    expect(read(report)).toBeNull();
    expect(read(`X: ${' '.repeat(60_000)}\n${'Received: x\n\t'.repeat(5_000)}`)).toBeNull();
  });
});

describe('a return address', () => {
  const bounces = { address: 'bounces@certlantern.example', key: Buffer.alloc(32, 7) };
  const id = randomUUID();
  const sent = { messageId: `${id}@alerts.certlantern`, recipient: 'alice@fjord.example' };
  const address = bounceAddress(bounces, sent) ?? '';

  it('identifies the mail that bounced, in any letter case', () => {
    for (const given of [address, address.toUpperCase()]) {
      const mark = readBounceAddress(bounces.address, given);
      expect(mark?.id).toBe(id);
      expect(mark && isGenuine(bounces.key, mark, sent.recipient)).toBe(true);
    }
    expect(address.slice(0, address.indexOf('@')).length).toBeLessThanOrEqual(64);
  });

  it('is rejected for another mail or recipient, or with another key', () => {
    const mark = readBounceAddress(bounces.address, address);
    if (!mark) throw new Error('It is one of ours');
    expect(isGenuine(bounces.key, mark, 'eve@fjord.example')).toBe(false);
    expect(isGenuine(Buffer.alloc(32, 8), mark, sent.recipient)).toBe(false);
    expect(isGenuine(bounces.key, { ...mark, id: randomUUID() }, sent.recipient)).toBe(false);
  });

  it.each([
    ['', 'bounces@certlantern.example', 'bounces+@certlantern.example'],
    [
      'bounces+abc@certlantern.example',
      address.replace('certlantern', 'evil'),
      `x${address}`,
      `${address}.evil`,
    ],
    [address.replace('+', '+x'), address.replace(/.@/, '1@')],
  ])('is not recognised without an id, with a malformed id or at another domain (case %#)', (...given) => {
    for (const one of given) expect(readBounceAddress(bounces.address, one)).toBeNull();
  });

  it('is left out if it would be too long or the mail has no outbox id', () => {
    const long = { ...bounces, address: `${'b'.repeat(30)}@certlantern.example` };
    expect(bounceAddress(long, sent)).toBeNull();
    expect(bounceAddress(bounces, { ...sent, messageId: 'x@y' })).toBeNull();
  });
});
