import { useState } from 'react';
import { messageOf } from '../../lib/api-error.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { fetchExport } from './profile-calls.ts';
import { saveFile } from '../../lib/save-file.ts';

/** Hands the account's data over as a file. */
export function ExportData() {
  const { product_name: productName } = usePublicConfig();
  const [busy, setBusy] = useState(false);

  const download = async () => {
    setBusy(true);
    try {
      saveFile(`${productName.toLowerCase()}-data.json`, await fetchExport());
    } catch (error) {
      toast.error(`Failed to download your data: ${messageOf(error)}`);
    }
    setBusy(false);
  };

  return (
    <Button variant="outline" className="max-md:w-full" busy={busy} onClick={() => void download()}>
      Download my data
    </Button>
  );
}
