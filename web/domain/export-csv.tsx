import { Download } from 'lucide-react';
import { useState } from 'react';
import type { exportCertificates } from '../../contract/calls/certificate.ts';
import type { exportDeadlines } from '../../contract/calls/deadline.ts';
import type { exportDomains } from '../../contract/calls/domain.ts';
import { callForResponse } from '../lib/api-client.ts';
import { saveFile } from '../lib/browser/save-file.ts';
import { IconButton } from '../ui/button.tsx';
import { Spinner } from '../ui/loading.tsx';
import { toast } from '../ui/toast.tsx';

interface ExportCsvProps {
  file: typeof exportDomains | typeof exportCertificates | typeof exportDeadlines;
  /** Filter and order of the list. */
  query: Record<string, string>;
  /** What the file lists. */
  what: 'domains' | 'certificates' | 'deadlines';
}

/** Downloads a list as CSV. If that fails, a toast says why. */
export async function saveCsv(
  file: ExportCsvProps['file'],
  query: ExportCsvProps['query'],
  what: ExportCsvProps['what'],
): Promise<void> {
  try {
    await saveAnswer(await callForResponse(file, { query }), `${what}.csv`);
  } catch (error) {
    toast.failed(`Could not export your ${what}`, error);
  }
}

/** Downloads an answer under the file name that the server gives, else under `name`. */
export async function saveAnswer(response: Response, name: string): Promise<void> {
  const disposition = response.headers.get('content-disposition') ?? '';
  const [, given = name] = /filename="([^"]+)"/.exec(disposition) ?? [];
  saveFile(given, await response.blob());
}

/** Downloads the list as CSV, in list order. Uses an API call instead of a link, so that an expired session is refreshed first. */
export function ExportCsv({ file, query, what }: ExportCsvProps) {
  const [busy, setBusy] = useState(false);
  const download = async () => {
    setBusy(true);
    await saveCsv(file, query, what);
    setBusy(false);
  };
  return (
    <IconButton label="Export CSV" title="Export CSV" disabled={busy} onClick={() => void download()}>
      {busy ? <Spinner /> : <Download className="size-4" strokeWidth={1.6} aria-hidden="true" />}
    </IconButton>
  );
}
