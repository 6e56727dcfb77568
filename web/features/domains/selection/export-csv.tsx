import { Download } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../../../lib/api-client.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { ListFilter } from '../domain-filter.ts';
import { exportDomains } from './selection-calls.ts';

/**
 * Hands everything that is listed over as a file, in the order of the list. A call of its own instead of a link, so that a
 * session that has to go on first does.
 */
export function ExportCsv({ filter }: { filter: ListFilter }) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    try {
      const { name, content } = await exportDomains(filter);
      saveFile(name, content);
    } catch (error) {
      toast.error(`Could not export your domains: ${messageOf(error)}`);
    }
    setBusy(false);
  };
  return (
    <IconButton label="Export CSV" title="Export CSV" disabled={busy} onClick={() => void download()}>
      {busy ? <Spinner /> : <Download className="size-4" strokeWidth={1.6} aria-hidden="true" />}
    </IconButton>
  );
}
