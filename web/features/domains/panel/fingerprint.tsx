import { Fragment } from 'react';
import { fingerprintText } from './pem.ts';

/** A fingerprint that breaks between its bytes. */
export function Fingerprint({ hex }: { hex: string }) {
  return fingerprintText(hex)
    .split(/(?<=:)/)
    .map((byte, index) => (
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {byte}
      </Fragment>
    ));
}
