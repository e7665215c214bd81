import type { ProcessorResult } from "../../contract/processor.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import type { Commit } from "../ledger/commit.ts";

/** NOT_FOUND: what the event speaks of does not exist yet. ILLEGAL_TRANSITION: its state does not permit the event. */
export type RefusalCode = Extract<ProcessorResult, { outcome: "refused" }>["code"];

export type AppliedResult = Extract<ProcessorResult, { outcome: "applied" }>;

/** What an event is to write, and what it is answered once that is written. The account that it changes, if any, is named `account`. */
export interface EventPlan {
  readonly commit: Commit;
  readonly result: AppliedResult;
  /** What to do now that the commit was refused: another plan, made from what stood in the way, or give up for the reason it gives. */
  readonly again: (failedConditions: FailedConditions) => Planned | Promise<Planned>;
}

/** The event cannot be applied to what was read. */
export interface RefusedPlan {
  readonly refused: RefusalCode;
}

export type Planned = EventPlan | RefusedPlan;

export const notFound: RefusedPlan = { refused: "NOT_FOUND" };
export const illegal: RefusedPlan = { refused: "ILLEGAL_TRANSITION" };
