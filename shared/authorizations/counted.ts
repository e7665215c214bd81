import type { CardSubject, OfControls } from "../network-events/plan.ts";
import type { CountedWrites, CountOptions, SpendControls } from "../network-events/spend-controls.ts";
import type { Hold } from "./holds/hold.ts";
import { holdWrites } from "./holds/hold-rules.ts";

/** The writes of a hold, and of what controls count of it. */
export function countHold(
  { controls, ...subject }: CardSubject & OfControls,
  before: Hold,
  after: Hold,
  transId: string,
  options?: CountOptions,
): CountedWrites {
  return (
    controls?.countHold(subject, before, after, transId, options) ?? {
      writes: holdWrites(before, after, subject.at),
    }
  );
}

/** Counts what has no hold, as a force post. */
export function countPosting(
  { controls, ...subject }: CardSubject & OfControls,
  transId: string,
  amountMinor: number,
): ReturnType<SpendControls["countPosting"]> {
  return controls?.countPosting(subject, transId, amountMinor) ?? { writes: [] };
}
