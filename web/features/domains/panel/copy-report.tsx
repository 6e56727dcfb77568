import type { ReportWire } from '../../../../contract/domain-report.ts';
import { CopyTextButton } from '../../../ui/copy-button.tsx';

/** The whole report as Markdown, for a ticket or a mail; waits for the report. */
export function CopyReport({ report }: { report: ReportWire | undefined }) {
  return (
    // Its ground reaches into the margins: the words stand where text would.
    <span className="-my-2 -mr-3 block">
      <CopyTextButton
        label="Copy report"
        text={report?.markdown ?? null}
        confirmation="The report was copied as Markdown."
        variant="ghost"
      />
    </span>
  );
}
