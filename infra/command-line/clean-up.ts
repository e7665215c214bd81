import { progress } from "./print.ts";

/** A shell's exit codes for them. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** One Ctrl-C may send two: the terminal's and npm's. */
const oneSignalMs = 500;
const longestMs = 30_000;

export interface CleanUp extends AsyncDisposable {
  defer(undo: () => unknown): void;
  [Symbol.asyncDispose](): Promise<void>;
}

const open = new Set<CleanUp>();
const calledOff = new AbortController();
let calledOffMs: number | undefined;

/** Aborted by Ctrl-C and `kill`, where something has to be cleaned up. */
export const interrupted: AbortSignal = calledOff.signal;

/**
 * Undoes what a command must not leave behind, the newest first: at the end of its scope, and at
 * Ctrl-C and `kill`. Defer the undoing of a step before you wait for the step.
 */
export function cleanUp(): CleanUp {
  listen();
  const stack = new AsyncDisposableStack();
  let undone: Promise<void> | undefined;
  const one: CleanUp = {
    defer: (undo) => stack.defer(async () => void (await undo())),
    [Symbol.asyncDispose]: () => {
      undone ??= stack.disposeAsync().finally(() => open.delete(one));
      return undone;
    },
  };
  open.add(one);
  return one;
}

let isListening = false;

/**
 * Ctrl-C and `kill` do not end this process before what it waits for has ended: it then undoes what
 * its `finally` blocks undo. A child that is waited for without a promise needs this.
 */
export function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const [signal, exitCode] of Object.entries(exitCodes))
    process.on(signal as keyof typeof exitCodes, () => void interrupt(signal, exitCode));
}

/**
 * Until Ctrl-C or `kill`: for a command that serves until then, and ends with 0. Ask for it before
 * what has to be undone. A second signal ends the process at once.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedMs: number | undefined;
    for (const [signal, exitCode] of Object.entries(exitCodes))
      process.on(signal, () => {
        stoppedMs ??= performance.now();
        if (performance.now() - stoppedMs > oneSignalMs) process.exit(exitCode);
        resolve();
      });
  });
}

/** A second signal ends the process at once. */
async function interrupt(signal: string, exitCode: number): Promise<void> {
  if (calledOffMs !== undefined) {
    if (performance.now() - calledOffMs > oneSignalMs) process.exit(exitCode);
    return;
  }
  calledOffMs = performance.now();
  setTimeout(() => process.exit(exitCode), longestMs).unref();
  // What is under way fails now: its errors are expected.
  process.on("unhandledRejection", () => undefined).on("uncaughtException", () => undefined);
  progress("");
  console.error(`Cleaning up (${signal})`);
  calledOff.abort();
  for (const one of [...open].toReversed())
    await one[Symbol.asyncDispose]().catch((error: unknown) => console.error(String(error)));
  process.exit(exitCode);
}
