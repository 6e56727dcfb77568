import { setTimeout as delay } from 'node:timers/promises';
import { DAY_MS } from '../../contract/durations.ts';
import type { FarmStore } from '../scale/farm-store.ts';
import { cpuOf, rssOf, writtenBy } from '../scale/process.ts';

/** The resources that a process used while it made the checks of one window. */
export interface Window {
  checks: number;
  cpuMs: number;
  /** RSS at the end of the window, in bytes. */
  rss: number;
  /** Bytes written to disks. */
  written: number;
}

/** Another program that makes the same checks, one window at a time. */
export interface Peer {
  name: string;
  /** Checks `checks` hosts from number `first` on, evenly over a window. @throws if it leaves too many out */
  window(options: { first: number; checks: number; seconds: number }): Promise<Window>;
  stop(): Promise<void>;
}

/** Runs `work`, which makes `checks` checks, and measures what the process uses meanwhile. */
export async function measureWindow(pid: number, checks: number, work: () => Promise<void>): Promise<Window> {
  const [cpu, written] = [cpuOf(pid), writtenBy(pid)];
  await work();
  return { checks, cpuMs: cpuOf(pid) - cpu, rss: rssOf(pid), written: writtenBy(pid) - written };
}

/** Returns the CPU time of the product, in ms a second, while no monitor is due and nobody uses it. */
export async function measureIdle({ store }: FarmStore, pid: number, ms: number): Promise<number> {
  await store.db
    .updateTable('monitors')
    .set({ next_check_at: Date.now() + DAY_MS })
    .execute();
  await delay(5_000);
  const { cpuMs } = await measureWindow(pid, 0, () => delay(ms));
  return cpuMs / (ms / 1_000);
}

/** Time in ms before the end of a window after which no check begins, so that slow checks end within the window. */
export const LAST_MS = 4_000;
