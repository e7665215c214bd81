import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { type RejectedOverlaps, startRejectingEngine } from "../../harness/conflicts.ts";
import { median } from "./report.ts";

interface Callers {
  readonly engine: string;
  /** What each process runs, beside this file. It sends a message when it is ready. */
  readonly script: string;
  readonly count: number;
  readonly store: Parameters<typeof startRejectingEngine>[1];
}

/** Runs work with processes whose overlapping transactions conflict, as in AWS. */
export async function withCallers<Result>(
  { engine, script, count, store: options }: Callers,
  work: (children: readonly ChildProcess[], store: RejectedOverlaps) => Promise<Result>,
): Promise<Result> {
  const store = await startRejectingEngine(engine, options);
  const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: store.endpoint, LOG_LEVEL: "ERROR" };
  const children = Array.from({ length: count }, () =>
    fork(new URL(script, import.meta.url), { env, stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    return await work(children, store);
  } finally {
    for (const child of children) child.kill();
    await store.stop();
  }
}

/** What callers have done: times in milliseconds by kind, and answers other than an approval. */
export interface Done {
  readonly tookMs: readonly number[];
  readonly refused: readonly string[];
}

interface Rates {
  readonly rate: number;
  readonly calls: number;
  readonly conflicts: number;
  /** Above some 0.9, the cores limit the rate, not contention. */
  readonly coresBusy: number;
}

export type Round<D extends Done = Done> = D & Rates;

/** Gives each process its work, and sums up what all of them have done. */
export async function runRound<D extends Done>(
  children: readonly ChildProcess[],
  store: RejectedOverlaps,
  workOf: (index: number) => object,
): Promise<Round<D>> {
  const before = { calls: store.calls, conflicts: store.conflicts, cores: coreTimes() };
  const startedMs = performance.now();
  const done = await Promise.all(
    children.map(async (child, index) => {
      const answer = once(child, "message");
      child.send(workOf(index));
      return (await answer)[0] as D;
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const all = summary(done);
  const cores = coreTimes();
  return {
    ...all,
    rate: all.tookMs.length / seconds,
    calls: (store.calls - before.calls) / all.tookMs.length,
    conflicts: (store.conflicts - before.conflicts) / all.tookMs.length,
    coresBusy: (cores.busy - before.cores.busy) / (cores.all - before.cores.all),
  };
}

/** Times and refusals of all, and the medians of what is measured. */
export function summary<R extends object>(all: readonly R[]): R {
  const names = Object.keys(all[0] ?? {}) as (keyof R)[];
  const values = names.map((name) => {
    const each = all.map((one) => one[name]);
    return [name, Array.isArray(each[0]) ? each.flat() : median(each as number[])];
  });
  return Object.fromEntries(values);
}

/** Of this machine, in milliseconds: other work on it counts as well. */
function coreTimes() {
  const times = cpus().map((core) => core.times);
  const idle = times.reduce((sum, core) => sum + core.idle, 0);
  const all = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idle);
  return { busy: all - idle, all };
}

/** Those that were refused, as a fault of the row. */
export function refusedIn(name: string, { refused: [first, ...others] }: Done): string | undefined {
  return first && `${name}: ${others.length + 1} were refused: ${first}`;
}
