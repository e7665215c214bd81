const lookedMs = 250;

/**
 * Ends this process as by `kill` when its parent ends. npm passes a signal on to its shell alone,
 * and that ends without the program that it has started.
 */
export function followParent(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(looking);
    process.kill(process.pid, "SIGTERM");
  }, lookedMs);
  looking.unref();
}
