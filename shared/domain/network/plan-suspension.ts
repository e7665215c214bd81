import { CardStatus, type SuspenseReason } from "../../contract/enums.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import type { NewDeposit } from "../deposits/deposit.ts";
import { depositRefusal } from "../deposits/deposit-refusal.ts";
import { type SuspenseItem, suspenseIdOf } from "../deposits/suspense.ts";
import { suspendDeposit } from "../deposits/suspense-change.ts";
import type { Account, StoredAccount } from "../ledger/account.ts";
import { notFound, type RefusedPlan } from "./event-plan.ts";
import type { DepositDetails, DepositPlan } from "./plan-deposit.ts";

/**
 * The plan of a deposit that its account cannot take: it goes to the Program's suspense account, so that no money that
 * came in is without a book entry. Without a Program there are no books: NOT_FOUND.
 */
export async function planSuspension(
  event: DepositDetails,
  account: Account,
  stored: StoredAccount | undefined,
  status: NewDeposit["status"],
): Promise<DepositPlan | RefusedPlan> {
  const { programId, amount, channel, chain, asset, txHash } = event;
  const currency = stored?.currency ?? (await readProgram(programId))?.currency;
  if (currency === undefined) return notFound;
  const at = now();
  const depositId = event.depositId ?? newId("deposit");
  const item: SuspenseItem = {
    programId,
    suspenseId: suspenseIdOf(depositId),
    depositId,
    account,
    amountMinor: amount,
    currency,
    channel,
    chain,
    asset,
    txHash,
    status,
    reason: reasonOf(stored),
    createdAt: timestamp(at),
  };
  return {
    commit: suspendDeposit(item, at),
    result: { outcome: "applied", depositId, suspenseId: item.suspenseId },
    again: (failedConditions) => ({ refused: depositRefusal(failedConditions) }),
    ...(stored && { account }),
  };
}

function reasonOf(stored: StoredAccount | undefined): SuspenseReason {
  if (!stored) return "ACCOUNT_UNKNOWN";
  return stored.issuerCardStatus === CardStatus.closed ? "CARD_CLOSED" : "CARD_NOT_APPROVED";
}
