import { logMeasured } from "../metrics.ts";

/** Writes that others got in the way of, each of which was made again or given up. */
export interface WriteConflicts {
  /** Names of what was to be written. */
  readonly actions: readonly string[];
  /** Times that they got in the way. */
  readonly conflicts: number;
  readonly givenUp?: boolean;
}

/** Tells of a write that was contended, once it is over; of others nothing. */
export function noteConflicts({ actions, conflicts, givenUp = false }: WriteConflicts): void {
  if (conflicts === 0) return;
  logMeasured("The write was contended.", { actions, givenUp }, () => ({
    WriteConflicts: conflicts,
    ...(givenUp && { WritesGivenUp: 1 }),
  }));
}
