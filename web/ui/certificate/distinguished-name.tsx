import { Fragment } from 'react';
import { visibleText } from '../visible-text.ts';

/** Shows a name in RFC 4514 format. That has no spaces after commas, so the text may also wrap after a comma. Always left to right. */
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
