import { MINUTE_MS } from '../../contract/durations.ts';

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The download has begun by then; until the address is taken back the content stays in memory.
  setTimeout(() => URL.revokeObjectURL(link.href), MINUTE_MS);
}
