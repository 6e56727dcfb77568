import { Fragment } from 'react';
import { visibleText } from './visible-text.ts';

/**
 * A name after RFC 4514, which has no spaces at its commas: it breaks there first. It goes from left to right as a whole,
 * whatever its parts do.
 */
export function DistinguishedName({ text }: { text: string }) {
  const parts = visibleText(text).split(/(?<=[^\\],)/);
  return (
    <bdi dir="ltr">
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}
