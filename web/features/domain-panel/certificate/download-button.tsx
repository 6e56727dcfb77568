import { Download } from 'lucide-react';
import { saveFile } from '../../../lib/browser/save-file.ts';
import { Button, type ButtonVariant } from '../../../ui/button.tsx';

interface DownloadButtonProps {
  label: string;
  fileName: string;
  /** PEM certificates. */
  text: string;
  variant?: ButtonVariant;
}

export function DownloadButton({ label, fileName, text, variant = 'outline' }: DownloadButtonProps) {
  return (
    <Button
      variant={variant}
      size="small"
      onClick={() => saveFile(fileName, new Blob([text], { type: 'application/x-pem-file' }))}
    >
      <Download className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
      {label}
    </Button>
  );
}
