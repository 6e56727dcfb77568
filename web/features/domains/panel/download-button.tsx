import { Download } from 'lucide-react';
import { saveFile } from '../../../lib/save-file.ts';
import { Button } from '../../../ui/button.tsx';

interface DownloadButtonProps {
  label: string;
  fileName: string;
  /** Certificates as PEM. */
  text: string;
}

export function DownloadButton({ label, fileName, text }: DownloadButtonProps) {
  return (
    <Button
      variant="outline"
      size="small"
      onClick={() => saveFile(fileName, new Blob([text], { type: 'application/x-pem-file' }))}
    >
      <Download className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
      {label}
    </Button>
  );
}
