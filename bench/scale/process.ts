import { readFileSync } from 'node:fs';

/* Figures of a process with all its threads, by its id. Linux only. */

/** Returns the RSS in bytes. */
export function rssOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

const TICK_MS = 10;

/** Returns the CPU time since the start of the process in ms, user plus system. */
export function cpuOf(pid: number): number {
  // Split after the process name, which may contain spaces; the fields after it have fixed positions.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Returns the bytes that the process caused to be written to disks since its start. */
export function writtenBy(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}
