import { hourMs, timestamp } from "../clock.ts";

/**
 * More than the largest job takes: a replay of a hundred million notifications. A mistake in a job
 * must not run for ever, since Lambda does not stop these functions' loops.
 */
const mostSteps = 1_000_000;

/**
 * Counts the messages by which a job sends the rest of its work to its own queue.
 * @throws Error for a job without an end: its message becomes a dead letter
 */
export function nextStep(steps = 0): number {
  if (steps >= mostSteps) throw new Error(`The job has taken ${steps} steps, and seems to have no end.`);
  return steps + 1;
}

/** Until when a job runs that made progress now. Later, it has failed: it must lock nothing. */
export function runsUntilAt(at: Date): string {
  return timestamp(new Date(at.getTime() + hourMs));
}
