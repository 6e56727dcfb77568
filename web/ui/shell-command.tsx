import { Fragment, useId } from 'react';
import { CopyButton } from './copy-button.tsx';
import { visibleText } from './visible-text.ts';

/** Shows a shell command with a copy button. */
export function ShellCommand({ command }: { command: string }) {
  const id = useId();
  return (
    <div className="group">
      <p id={id} className="mb-1 text-meta text-fg-3">
        Check it yourself
      </p>
      <div className="flex items-start gap-1 rounded-2 border border-line bg-sunken py-1.5 pr-1 pl-2.5">
        <code
          aria-labelledby={id}
          dir="ltr"
          className="min-w-0 flex-1 py-px font-mono text-small whitespace-pre-wrap [overflow-wrap:anywhere]"
        >
          {/* Wraps only at spaces: the hyphens of options must not break. */}
          {visibleText(command)
            .split(' ')
            .map((word, index) => (
              <Fragment key={index}>
                {index > 0 && ' '}
                <span className="inline-block max-w-full">{word}</span>
              </Fragment>
            ))}
        </code>
        <CopyButton label="Copy the command" text={command} />
      </div>
    </div>
  );
}
