import { MINUTE_MS } from '../../../contract/durations.ts';

/** Downloads a file. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // After a minute the download has started. Until the URL is revoked, the content stays in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), MINUTE_MS);
}
