import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;

/** Creates an authenticator app for an `otpauth:` address: RFC 6238 with SHA-1 and six digits. */
export function createAuthenticatorApp(totpURI: string) {
  const secret = fromBase32(new URL(totpURI).searchParams.get('secret') ?? '');
  let last = 0;
  const codeAt = (step: number): string => {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', secret).update(counter).digest();
    const offset = mac.readUInt8(mac.length - 1) & 15;
    return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
  };
  const now = () => Math.floor(Date.now() / STEP_MS);
  return {
    /**
     * Returns a code that this app has not shown yet. The next code is accepted early, so that two codes in a row are valid
     * at once.
     */
    next(): string {
      last = Math.max(now(), last + 1);
      return codeAt(last);
    },
    /** Returns a code that is not valid now or soon. */
    wrong(): string {
      const good = new Set(Array.from({ length: 9 }, (_, index) => codeAt(now() - 4 + index)));
      return ['000000', '111111', '222222'].find((code) => !good.has(code)) ?? '333333';
    },
  };
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
