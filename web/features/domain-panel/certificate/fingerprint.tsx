import { Fragment } from 'react';
import { fingerprintText } from './pem.ts';

/** Shows a fingerprint that wraps between bytes. */
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
