import type { CardIdentity } from "../card/card-identity.ts";
import { now, timestamp } from "../clock.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import { type Deposit, type DepositTrigger, type NewDeposit, readDeposit } from "../deposit/deposit.ts";
import { depositRefusal } from "../deposit/deposit-refusal.ts";
import { newDeposit } from "../deposit/new-deposit.ts";
import { settleDeposit } from "../deposit/settle-deposit.ts";
import { newId } from "../id.ts";
import { type Account, readAccount, type StoredAccount } from "../ledger/account.ts";
import { type EventPlan, illegal, notFound, type Refusals, type RefusedPlan } from "./event-plan.ts";

type DepositEvent = Extract<ProcessorEvent, { kind: `deposit_${string}` }>;
type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
type Details = Omit<EventOf<"deposit_pending">, "kind">;

/** The plan of a deposit's event. */
export interface DepositPlan extends EventPlan {
  readonly deposit: Deposit;
}

/** Works out what a deposit's event is to write. */
export function planDeposit(event: DepositEvent): Promise<DepositPlan | RefusedPlan> {
  switch (event.kind) {
    case "deposit_pending":
      return planNewDeposit(event, DepositStatus.pending);
    case "deposit_cleared":
      return planCleared(event);
    case "deposit_reversed":
      return planReversed(event);
    case "deposit_returned":
      return planReturned(event);
  }
}

/**
 * The clearing of the pending deposit that is named, or a deposit that was never pending. What the event says of amount and account must
 * not contradict a deposit that is known.
 */
async function planCleared(event: EventOf<"deposit_cleared">): Promise<DepositPlan | RefusedPlan> {
  const deposit = event.depositId && (await readDeposit(event.programId, event.depositId));
  if (deposit) return contradicts(event, deposit) ? illegal : planSettlement(deposit, "clear");
  const { accountType, accountId, amount, channel = "crypto" } = event;
  if (accountType === undefined || accountId === undefined || amount === undefined) return notFound;
  return planNewDeposit({ ...event, accountType, accountId, amount, channel }, DepositStatus.cleared);
}

/** A pending deposit goes back to where it came from. */
async function planReversed(event: EventOf<"deposit_reversed">): Promise<DepositPlan | RefusedPlan> {
  const deposit = await readDeposit(event.programId, event.depositId);
  return deposit ? planSettlement(deposit, "reverse") : notFound;
}

/**
 * A cleared deposit goes back. One that is still pending is reversed: its clearing was overtaken by the return, and is
 * then refused.
 */
async function planReturned(event: EventOf<"deposit_returned">): Promise<DepositPlan | RefusedPlan> {
  const deposit = await readDeposit(event.programId, event.depositId);
  if (!deposit) return notFound;
  const isPending = deposit.status === DepositStatus.pending;
  return {
    ...planSettlement(deposit, isPending ? "reverse" : "return"),
    again: (refusals) => {
      const hasCleared = isPending && refusals.get("deposit")?.status === DepositStatus.cleared;
      return hasCleared ? planReturned(event) : refused(refusals);
    },
  };
}

async function planNewDeposit(
  event: Details,
  status: NewDeposit["status"],
): Promise<DepositPlan | RefusedPlan> {
  const account = accountOf(event);
  const seen = await readAccount(event.programId, account);
  if (!seen) return notFound;
  const { cardholderId, cardToken } = seen as StoredAccount & Partial<CardIdentity>;
  const at = now();
  const { programId, amount, channel, chain, asset, txHash } = event;
  const deposit: NewDeposit = {
    programId,
    depositId: event.depositId ?? newId("deposit"),
    account,
    amountMinor: amount,
    currency: seen.currency,
    status,
    channel,
    chain,
    asset,
    txHash,
    ...(account.kind === "card" && {
      cardholderId,
      cardToken,
      transId: newId("transaction"),
    }),
    createdAt: timestamp(at),
  };
  return {
    commit: newDeposit(deposit, at),
    result: { outcome: "applied", depositId: deposit.depositId },
    again: refused,
    deposit,
  };
}

function planSettlement(deposit: Deposit, trigger: DepositTrigger): DepositPlan {
  return {
    commit: settleDeposit(deposit, trigger, now()),
    result: { outcome: "applied", depositId: deposit.depositId },
    again: refused,
    deposit,
  };
}

/** A deposit is decided by what was read; nothing that a refusal tells could make it another. */
function refused(refusals: Refusals): RefusedPlan {
  return { refused: depositRefusal(refusals) };
}

function contradicts(event: EventOf<"deposit_cleared">, { account, amountMinor }: Deposit): boolean {
  return (
    (event.amount ?? amountMinor) !== amountMinor ||
    (event.accountId ?? account.accountId) !== account.accountId
  );
}

function accountOf({ accountType, accountId }: Details): Account {
  return { kind: accountType === 1 ? "card" : "wallet", accountId };
}
