import type { ProcessorResult } from "../../contract/processor.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import type { Account } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";

export type AppliedResult = Extract<ProcessorResult, { outcome: "applied" }>;

/** What an event writes, and its result once that is committed. */
export interface EventPlan {
  readonly commit: Commit;
  readonly result: AppliedResult;
  /** The card or wallet of the event, whose balances its sender may be answered. */
  readonly account?: Account;
  /**
   * Plans the event again after conditions failed. The items that they found may be out of date where the executor has
   * waited since.
   */
  readonly again: (failed: FailedConditions, waited: boolean) => Promise<Planned>;
}

/**
 * NOT_FOUND: the event's subject does not exist yet. ILLEGAL_TRANSITION: its state does not permit the event. The others
 * are for events of the sandbox alone.
 */
export type RejectionCode = "NOT_FOUND" | "ILLEGAL_TRANSITION" | "NOTHING_HELD" | "MORE_THAN_HELD";

/** The event cannot be applied to the state that was read. */
export interface Rejected {
  readonly rejected: RejectionCode;
}

export type Planned = EventPlan | Rejected;

export const notFound: Rejected = { rejected: "NOT_FOUND" };
export const illegal: Rejected = { rejected: "ILLEGAL_TRANSITION" };
