import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type RejectedOverlaps, startRejectingEngine } from "../../harness/conflicts.ts";

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
