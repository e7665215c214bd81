import type { ProcessorResult } from "../contract/processor.ts";
import type { Deposit } from "../deposit/deposit.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit-entry.ts";
import type { StoredItem } from "../table/transact.ts";

/** NOT_FOUND: what the event speaks of does not exist yet. ILLEGAL_TRANSITION: its state does not permit the event. */
export type RefusalCode = Extract<ProcessorResult, { outcome: "refused" }>["code"];

/** What an event is to write, and what it is answered once that is written. */
export interface EventPlan {
  readonly commit: Commit<never>;
  readonly result: ProcessorResult;
  /** Why the commit was refused. */
  readonly refusal: (refusals: ReadonlyMap<string, StoredItem>) => RefusalCode;
}

/** The plan of a deposit's event. Its commit's one account is named `account`. */
export interface DepositPlan extends EventPlan {
  readonly deposit: Deposit;
  /** The account as it was before. */
  readonly seen: StoredAccount;
}

/** The event cannot be applied to what was read. */
export interface RefusedPlan {
  readonly refused: RefusalCode;
}
