import { DepositStatus, DestinationType, SuspenseStatus } from "../../contract/enums.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { type Deposit, type DepositTrigger, type NewDeposit, readDeposit } from "../deposits/deposit.ts";
import { depositRefusal } from "../deposits/deposit-refusal.ts";
import { newDeposit, takesDeposits } from "../deposits/new-deposit.ts";
import { newDepositOf } from "../deposits/new-deposit-of.ts";
import { settleDeposit } from "../deposits/settle-deposit.ts";
import { readSuspense, type SuspenseItem } from "../deposits/suspense.ts";
import { settleSuspense } from "../deposits/suspense-change.ts";
import { type Account, readAccount, type StoredAccount } from "../ledger/account.ts";
import { type EventPlan, illegal, notFound, type RefusedPlan } from "./event-plan.ts";
import { planSuspension } from "./plan-suspension.ts";

export type DepositEvent = Extract<ProcessorEvent, { kind: `deposit_${string}` }>;
type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
export type DepositDetails = Omit<EventOf<"deposit_pending">, "kind">;

/** The plan of a deposit's event. */
export interface DepositPlan extends EventPlan {
  /** The account that the deposit is for; absent where it does not exist. */
  readonly account?: Account;
}

export interface DepositOptions {
  /** Whether a deposit for an account that does not exist goes to suspense, and is not NOT_FOUND. */
  readonly suspendUnknown?: boolean;
}

/** Works out what a deposit's event is to write. */
export async function planDeposit(
  event: DepositEvent,
  options: DepositOptions = {},
): Promise<DepositPlan | RefusedPlan> {
  const known = await readKnown(event);
  switch (event.kind) {
    case "deposit_pending":
      return planNewDeposit(event, DepositStatus.pending, options);
    case "deposit_cleared":
      if (!known) return planCleared(event, options);
      return contradicts(event, known.record) ? illegal : planSettlement(event, known, "clear");
    case "deposit_reversed":
      return known ? planSettlement(event, known, "reverse") : notFound;
    case "deposit_returned": {
      // A return that overtakes the clearing reverses what is pending still; the clearing is then refused.
      const isPending = known?.record.status === DepositStatus.pending;
      return known ? planSettlement(event, known, isPending ? "reverse" : "return") : notFound;
    }
  }
}

/** A deposit that has been recorded, on its account or in suspense. */
type Known =
  | { readonly place: "deposit"; readonly record: Deposit }
  | { readonly place: "suspense"; readonly record: SuspenseItem };

/** The deposit that the event goes on with. One that was assigned out of suspense is on its account. */
async function readKnown(event: DepositEvent): Promise<Known | undefined> {
  const { kind, programId, depositId } = event;
  if (kind === "deposit_pending" || depositId === undefined) return undefined;
  const deposit = await readDeposit(programId, depositId);
  if (deposit) return { place: "deposit", record: deposit };
  const suspended = await readSuspense(programId, depositId);
  // Assigned between the two readings, the deposit is there by now.
  if (suspended?.status === SuspenseStatus.assigned) return readKnown(event);
  return suspended && { place: "suspense", record: suspended };
}

/** A deposit that was never pending. */
async function planCleared(
  event: EventOf<"deposit_cleared">,
  options: DepositOptions,
): Promise<DepositPlan | RefusedPlan> {
  const { accountType, accountId, amount, channel = "crypto" } = event;
  if (accountType === undefined || accountId === undefined || amount === undefined) return notFound;
  const details = { ...event, accountType, accountId, amount, channel };
  return orSettle(await planNewDeposit(details, DepositStatus.cleared, options), event, options);
}

/** Settles the deposit instead, where its pending event was recorded since it was looked for. */
function orSettle<P extends EventPlan>(
  plan: P | RefusedPlan,
  event: DepositEvent,
  options: DepositOptions,
): P | RefusedPlan {
  if ("refused" in plan) return plan;
  return {
    ...plan,
    again: async (failedConditions) =>
      failedConditions.get("deposit") || failedConditions.get("suspense")
        ? planDeposit(event, options)
        : orSettle(await plan.again(failedConditions), event, options),
  };
}

async function planNewDeposit(
  event: DepositDetails,
  status: NewDeposit["status"],
  options: DepositOptions,
): Promise<DepositPlan | RefusedPlan> {
  const account = accountOf(event);
  const seen = await readAccount(event.programId, account);
  if (!seen) return options.suspendUnknown ? planSuspension(event, account, undefined, status) : notFound;
  if (isClosedTo(seen)) return planSuspension(event, account, seen, status);
  const at = now();
  const { programId, amount, channel, chain, asset, txHash } = event;
  const depositId = event.depositId ?? newId("deposit");
  const details = { programId, depositId, amountMinor: amount, currency: seen.currency, status };
  const deposit = newDepositOf({ ...details, channel, chain, asset, txHash }, account, seen, at);
  const commit = newDeposit(deposit, at);
  const writes = event.depositId ? [notSuspended(deposit), ...commit.writes] : commit.writes;
  return {
    commit: { ...commit, writes },
    result: { outcome: "applied", depositId },
    // The card may have been closed since it was read.
    again: (failedConditions) => {
      const met = failedConditions.get("account") as StoredAccount | undefined;
      return met && isClosedTo(met) ? planSuspension(event, account, met, status) : refused(failedConditions);
    },
    account,
  };
}

function isClosedTo({ issuerCardStatus }: StoredAccount): boolean {
  return issuerCardStatus !== undefined && !takesDeposits(issuerCardStatus);
}

/** Requires that the deposit has no suspense item. */
function notSuspended({ programId, depositId }: Deposit): WriteAction {
  return {
    name: "suspense",
    ConditionCheck: {
      TableName: environment.issuingTable,
      Key: issuingKey.suspense(programId, depositId),
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

async function planSettlement(
  event: DepositEvent,
  known: Known,
  trigger: DepositTrigger,
): Promise<DepositPlan> {
  const { place, record } = known;
  const { depositId, account, status } = record;
  const isThere = place === "deposit" || (await readAccount(event.programId, account)) !== undefined;
  return {
    commit:
      place === "deposit" ? settleDeposit(record, trigger, now()) : settleSuspense(record, trigger, now()),
    result: { outcome: "applied", depositId, ...(place === "suspense" && { suspenseId: record.suspenseId }) },
    again: (failedConditions) => {
      const met = failedConditions.get(place)?.status;
      const goesOn = met === SuspenseStatus.assigned || isOvertaken(event, status, met);
      return met !== status && goesOn ? planDeposit(event) : refused(failedConditions);
    },
    ...(isThere && { account }),
  };
}

/** Whether the deposit has cleared since its return was planned as a reversal. */
function isOvertaken(
  { kind }: DepositEvent,
  seen: Deposit["status"] | SuspenseStatus,
  met: unknown,
): boolean {
  return kind === "deposit_returned" && seen === DepositStatus.pending && met === DepositStatus.cleared;
}

/** Final: a new plan would fail on the same condition. */
function refused(failedConditions: FailedConditions): RefusedPlan {
  return { refused: depositRefusal(failedConditions) };
}

function contradicts(
  event: EventOf<"deposit_cleared">,
  { account, amountMinor, announcedFor = account.accountId }: Known["record"] & Pick<Deposit, "announcedFor">,
): boolean {
  return (event.amount ?? amountMinor) !== amountMinor || (event.accountId ?? announcedFor) !== announcedFor;
}

function accountOf({ accountType, accountId }: DepositDetails): Account {
  return { kind: accountType === DestinationType.card ? "card" : "wallet", accountId };
}
