import {
  CardStatus,
  type Currency,
  DepositStatus,
  DestinationType,
  type SuspenseReason,
  SuspenseStatus,
} from "../../contract/enums.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import type { CardOrWallet } from "../cards/card.ts";
import { type Deposit, type DepositTrigger, depositTransitions, readDeposit } from "../deposits/deposit.ts";
import { newDeposit, takesDeposits } from "../deposits/new-deposit.ts";
import { newDepositOf } from "../deposits/new-deposit-of.ts";
import { settleDeposit } from "../deposits/settle-deposit.ts";
import { readSuspense, type SuspenseItem, suspenseIdOf } from "../deposits/suspense.ts";
import { settleSuspense, suspendDeposit } from "../deposits/suspense-change.ts";
import { type Account, readAccount } from "../ledger/account.ts";
import { type EventPlan, illegal, notFound, type Planned, type Rejected } from "./event-plan.ts";

type EventOf<K extends ProcessorEvent["kind"]> = Extract<ProcessorEvent, { kind: K }>;
export type DepositEvent = Extract<ProcessorEvent, { kind: `deposit_${string}` }>;
type DepositDetails = Omit<EventOf<"deposit_pending">, "kind">;

export interface DepositOptions {
  /** Whether a deposit to an unknown account goes to suspense. Else it is NOT_FOUND. */
  readonly suspendUnknown?: boolean;
}

/** A recorded deposit, on its account or in suspense. */
type Known =
  | { readonly place: "deposit"; readonly record: Deposit }
  | { readonly place: "suspense"; readonly record: SuspenseItem };

/** A deposit of which nothing is recorded, with its account if that exists, in the currency of its books. */
interface Unknown {
  readonly details: DepositDetails;
  readonly account: Account;
  readonly stored: CardOrWallet | undefined;
  readonly currency: Currency;
}

type DepositPlan = Omit<EventPlan, "again">;

/** Plans a deposit's event. Of events that race for one deposit, the later is planned again on what it then finds. */
export async function planDeposit(event: DepositEvent, options: DepositOptions = {}): Promise<Planned> {
  const known = await readKnown(event);
  const unknown = known ? undefined : await readUnknown(event, options);
  const plan = known ? planSettlement(event, known) : unknown ? planNewDeposit(event, unknown) : notFound;
  if ("rejected" in plan) return plan;
  return {
    ...plan,
    again: async (failed) => {
      if (failed.has("account") && !failed.get("account")) return notFound;
      const isTaken = failed.has("deposit") || failed.has("suspense");
      return event.kind === "deposit_pending" && isTaken ? illegal : planDeposit(event, options);
    },
  };
}

/** The deposit that the event continues. One that was assigned out of suspense is on its account. */
async function readKnown(event: DepositEvent): Promise<Known | undefined> {
  const { kind, programId, depositId } = event;
  if (kind === "deposit_pending" || depositId === undefined) return undefined;
  const deposit = await readDeposit(programId, depositId);
  if (deposit) return { place: "deposit", record: deposit };
  const suspended = await readSuspense(programId, depositId);
  // Assigned between the two reads, the deposit exists by now.
  if (suspended?.status === SuspenseStatus.assigned) return readKnown(event);
  return suspended && { place: "suspense", record: suspended };
}

/** undefined for an event without the details of a deposit, or to an account that may still come into being. */
async function readUnknown(event: DepositEvent, options: DepositOptions): Promise<Unknown | undefined> {
  if (event.kind !== "deposit_pending" && event.kind !== "deposit_cleared") return undefined;
  const { programId, accountType, accountId, amount, channel = "crypto" } = event;
  if (accountType === undefined || accountId === undefined || amount === undefined) return undefined;
  const account: Account = { kind: accountType === DestinationType.card ? "card" : "wallet", accountId };
  const stored = await readAccount(programId, account);
  const mayBeSuspended = stored !== undefined || options.suspendUnknown;
  const currency =
    stored?.currency ?? (mayBeSuspended ? (await readProgram(programId))?.currency : undefined);
  if (currency === undefined) return undefined;
  return { details: { ...event, accountType, accountId, amount, channel }, account, stored, currency };
}

/** Credits the account, or the suspense account where the card or wallet cannot take the money: no money is unbooked. */
function planNewDeposit(event: DepositEvent, { details, account, stored, currency }: Unknown): DepositPlan {
  const at = now();
  const { programId, amount: amountMinor, channel, chain, asset, txHash } = details;
  const depositId = details.depositId ?? newId("deposit");
  const status = event.kind === "deposit_pending" ? DepositStatus.pending : DepositStatus.cleared;
  const fields = { programId, depositId, amountMinor, currency, channel, chain, asset, txHash, status };
  if (!stored || isClosedTo(stored)) {
    const suspenseId = suspenseIdOf(depositId);
    const reason = suspenseReason(stored);
    const item: SuspenseItem = { ...fields, suspenseId, account, reason, createdAt: timestamp(at) };
    return {
      commit: suspendDeposit(item, at),
      result: { outcome: "applied", depositId, suspenseId },
      account,
    };
  }
  const deposit = newDepositOf(fields, account, stored, at);
  const commit = newDeposit(deposit, at);
  const writes = details.depositId ? [notSuspended(deposit), ...commit.writes] : commit.writes;
  return { commit: { ...commit, writes }, result: { outcome: "applied", depositId }, account };
}

function isClosedTo({ issuerCardStatus }: CardOrWallet): boolean {
  return issuerCardStatus !== undefined && !takesDeposits(issuerCardStatus);
}

function suspenseReason(stored: CardOrWallet | undefined): SuspenseReason {
  if (!stored) return "ACCOUNT_UNKNOWN";
  return stored.issuerCardStatus === CardStatus.closed ? "CARD_CLOSED" : "CARD_NOT_APPROVED";
}

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

const triggers = {
  deposit_pending: undefined,
  deposit_cleared: "clear",
  deposit_reversed: "reverse",
  deposit_returned: "return",
} as const satisfies Record<DepositEvent["kind"], DepositTrigger | undefined>;

/** A return that overtakes the clearing reverses the pending deposit; the clearing is then illegal. */
function planSettlement(event: DepositEvent, known: Known): DepositPlan | Rejected {
  const { place, record } = known;
  const { depositId, account, status } = record;
  const isEarlyReturn = event.kind === "deposit_returned" && status === DepositStatus.pending;
  const trigger = isEarlyReturn ? "reverse" : triggers[event.kind];
  const isLegal = depositTransitions.some((one) => one.from === status && one.trigger === trigger);
  if (!trigger || !isLegal || contradicts(event, record)) return illegal;
  if (place === "deposit") {
    const commit = settleDeposit(record, trigger, now());
    return { commit, result: { outcome: "applied", depositId }, account };
  }
  const { suspenseId } = record;
  const commit = settleSuspense(record, trigger, now());
  return { commit, result: { outcome: "applied", depositId, suspenseId }, account };
}

/** Whether a clearing names another amount or account than its deposit. */
function contradicts(
  event: DepositEvent,
  { account, amountMinor, announcedFor = account.accountId }: Known["record"] & Pick<Deposit, "announcedFor">,
): boolean {
  if (event.kind !== "deposit_cleared") return false;
  return (event.amount ?? amountMinor) !== amountMinor || (event.accountId ?? announcedFor) !== announcedFor;
}
