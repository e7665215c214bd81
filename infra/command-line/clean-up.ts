import { CannotRun, UsageError } from "./options.ts";
import { printFailure, progress } from "./print.ts";

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

/** Says at Ctrl-C and `kill` what is half done then, after what is deferred later is undone. */
export function sayAtInterrupt(describeHalf: () => string): CleanUp {
  const one = cleanUp();
  one.defer(() => {
    if (interrupted.aborted) console.error(describeHalf());
  });
  return one;
}

/**
 * Runs what changes things outside. If it does not end, by an error, Ctrl-C or `kill`, it says what
 * is half done and how to go on.
 */
export async function orSay<T>(describeHalf: () => string, run: () => Promise<T>): Promise<T> {
  await using _ = sayAtInterrupt(describeHalf);
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError || interrupted.aborted) throw error;
    const message = `${error instanceof Error ? error.message : String(error)}\n${describeHalf()}`;
    throw error instanceof CannotRun ? new CannotRun(message) : new Error(message, { cause: error });
  }
}

let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  for (const [signal, exitCode] of Object.entries(exitCodes))
    process.on(signal as keyof typeof exitCodes, () => void interrupt(signal, exitCode));
}

/**
 * Until Ctrl-C or `kill`, and by which: for a command that serves until then, and ends with 0. Ask
 * for it before what has to be undone. A second signal ends the process at once.
 */
export function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    let stoppedMs: number | undefined;
    for (const [signal, exitCode] of Object.entries(exitCodes))
      process.on(signal, () => {
        stoppedMs ??= performance.now();
        if (performance.now() - stoppedMs > oneSignalMs) process.exit(exitCode);
        resolve(signal);
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
  printFailure(`Ended by ${signal}.`);
  process.exit(exitCode);
}
