import { Fragment, useId } from 'react';
import { CopyButton } from './copy-button.tsx';
import { visibleText } from './visible-text.ts';

/** Shows a shell command with a copy button. */
export function ShellCommand({ command }: { command: string }) {
  return <CodeBox title="Check it yourself" code={command} copyLabel="Copy the command" />;
}

/** Shows a command or a DNS record in a box. `copyLabel`: name of the copy button; absent if the caller shows a button of its own. */
export function CodeBox({ title, code, copyLabel }: { title: string; code: string; copyLabel?: string }) {
  const id = useId();
  return (
    <div className="group">
      <p id={id} className="mb-1 text-meta text-fg-3">
        {title}
      </p>
      <div className="flex items-start gap-1 rounded-2 border border-line bg-sunken py-1.5 pr-1 pl-2.5">
        <code
          aria-labelledby={id}
          dir="ltr"
          className="min-w-0 flex-1 py-px font-mono text-small whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {/* Wraps only at spaces: the hyphens of options must not break. */}
          {visibleText(code)
            .split(' ')
            .map((word, index) => (
              <Fragment key={index}>
                {index > 0 && ' '}
                <span className="inline-block max-w-full">{word}</span>
              </Fragment>
            ))}
        </code>
        {copyLabel !== undefined && <CopyButton label={copyLabel} text={code} />}
      </div>
    </div>
  );
}
