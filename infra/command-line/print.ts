const quietMs = 10_000;
let saidMs = performance.now();
let isForScripts = false;

/** With `--json`, standard output has only the result. */
export function keepOutputForResult(): void {
  isForScripts = true;
}

/** Prints a line for people. */
export function say(line: string): void {
  progress("");
  saidMs = performance.now();
  if (isForScripts) console.error(line);
  else console.log(line);
}

export function sayStep(line: string): void {
  say(`- ${line}`);
}

/** What scripts get of a command that cannot finish. */
export function printFailure(message: string): void {
  if (isForScripts) printJson({ error: message });
}

export function printJson(result: unknown): void {
  progress("");
  console.log(JSON.stringify(result, null, 2));
}

/**
 * Shows how far a command is: a terminal's line that the next text replaces, elsewhere a line after
 * ten silent seconds.
 */
export function progress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${what}`);
  else if (what !== "" && performance.now() - saidMs > quietMs) {
    saidMs = performance.now();
    console.error(what);
  }
}
