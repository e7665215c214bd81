import type { ProcessorResult } from "../../contract/processor.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import type { Account } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";

export type AppliedResult = Extract<ProcessorResult, { outcome: "applied" }>;

export interface EventPlan {
  readonly commit: Commit;
  readonly result: AppliedResult;
  /** The card or wallet of the event, whose balances its sender may be answered. */
  readonly account?: Account;
  /** Plans again after failed conditions. Their items may be out of date if the executor waited. */
  readonly again: (failed: FailedConditions, waited: boolean) => Promise<Planned>;
}

/**
 * NOT_FOUND: the subject does not exist yet. ILLEGAL_TRANSITION: its state forbids the event. Others: sandbox
 * only.
 */
export type RejectionCode = "NOT_FOUND" | "ILLEGAL_TRANSITION" | "NOTHING_HELD" | "MORE_THAN_HELD";

/** The event cannot be applied to the state that was read. */
export interface Rejected {
  readonly rejected: RejectionCode;
}

export type Planned = EventPlan | Rejected;

export const notFound: Rejected = { rejected: "NOT_FOUND" };
export const illegal: Rejected = { rejected: "ILLEGAL_TRANSITION" };
