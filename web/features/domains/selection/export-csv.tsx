import { Download } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../lib/api-client.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { Button } from '../../../ui/button.tsx';
import type { ButtonProps } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { ListFilter } from '../domain-filter.ts';
import { exportDomains } from './selection-calls.ts';

interface ExportCsvProps extends Pick<ButtonProps, 'variant' | 'size' | 'className'> {
  /** What the list shows: the file holds all of it, in its order. */
  filter: ListFilter;
}

/** Hands everything that is listed over as a file. A call of its own, so that a session that has to go on first does. */
export function ExportCsv({ filter, variant = 'ghost', ...rest }: ExportCsvProps) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      saveFile(`domains-${new Date().toISOString().slice(0, 10)}.csv`, await exportDomains(filter));
    } catch (error) {
      toast.error(`Could not export your domains: ${messageOf(error)}`);
    }
    setBusy(false);
  };
  return (
    <Button {...rest} variant={variant} busy={busy} onClick={() => void download()}>
      {!busy && <Download className="size-4" strokeWidth={1.6} aria-hidden="true" />}
      Export CSV
    </Button>
  );
}
