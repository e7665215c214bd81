import {
  CardStatus,
  type Currency,
  currencyNames,
  DepositStatus,
  DestinationType,
  type SuspenseReason,
  SuspenseStatus,
} from "../../contract/enums.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import { isNew } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import { type CardOrWallet, readCardOrWallet } from "../cards/card.ts";
import {
  acceptingStatuses,
  type Deposit,
  type DepositTrigger,
  deposits,
  depositTransitions,
  leftMinor,
} from "../deposits/deposit.ts";
import { newDeposit, noteReport, settleDeposit } from "../deposits/deposit-change.ts";
import {
  type SuspenseItem,
  settleSuspense,
  suspendDeposit,
  suspenseItems,
  toSuspenseId,
} from "../deposits/suspense.ts";
import type { Account } from "../ledger/account.ts";
import type { EventOf } from "./card-event.ts";
import { illegal, notFound, type Rejected } from "./plan.ts";
import type { PlanFromReads } from "./plan-from-reads.ts";

export type DepositEvent = EventOf<
  "deposit_pending" | "deposit_cleared" | "deposit_reversed" | "deposit_returned"
>;

export interface DepositOptions {
  /** Whether a deposit to an unknown account goes to suspense. Else it is NOT_FOUND. */
  readonly suspendUnknown?: boolean;
  readonly report?: DepositReport;
}

/**
 * A report of a bank or custodian, which says what has moved: it counts also if another amount was
 * announced. If it cannot be applied, it is NOT_FOUND: its reporter decides again from what is
 * known then.
 */
export interface DepositReport {
  /** What is known of it afterwards, in the same commit. */
  readonly writes: readonly WriteAction[];
  /** Why the operator decides about it first. */
  readonly suspend?: Pick<SuspenseItem, "reason" | "duplicateOf" | "note"> | undefined;
}

const writtenMeanwhile = ["bank payment", "payment name", "bank return", "chain deposit"];

/** The deposit that the event continues, on its account or in suspense; or a new one. */
type DepositSubject =
  | { readonly deposit: Deposit }
  | { readonly suspended: SuspenseItem }
  | { readonly announced: AnnouncedDeposit };

/** A deposit that is not recorded yet, in the currency of the Program's books. */
interface AnnouncedDeposit
  extends Pick<
    Deposit,
    "account" | "amountMinor" | "channel" | "currency" | "chain" | "asset" | "txHash" | "reference"
  > {
  /** ISO 4217 code, if the amount is in another currency than the books. */
  readonly receivedCurrency?: string | undefined;
  /** Undefined if the account does not exist. */
  readonly stored: CardOrWallet | undefined;
}

/** Undefined if the deposit and its account may still be created. */
export async function readDepositSubject(
  event: DepositEvent,
  options: DepositOptions,
): Promise<DepositSubject | undefined> {
  const { kind, programId, depositId } = event;
  if (kind !== "deposit_pending" && depositId !== undefined) {
    const deposit = await deposits.at(programId, depositId).get();
    if (deposit) return { deposit };
    const suspended = await suspenseItems.at(programId, depositId).get();
    // Assigned between the two reads: the deposit exists now.
    if (suspended?.status === SuspenseStatus.assigned) return readDepositSubject(event, options);
    if (suspended) return { suspended };
  }
  const announced = await readAnnounced(event, options);
  return announced && { announced };
}

/** Undefined without a deposit's details, or if the account may still be created. */
async function readAnnounced(
  event: DepositEvent,
  { suspendUnknown }: DepositOptions,
): Promise<AnnouncedDeposit | undefined> {
  if (event.kind !== "deposit_pending" && event.kind !== "deposit_cleared") return undefined;
  const { programId, accountType, accountId, amount: amountMinor, channel = "crypto" } = event;
  if (accountType === undefined || accountId === undefined || amountMinor === undefined) return undefined;
  const account: Account = { kind: accountType === DestinationType.card ? "card" : "wallet", accountId };
  const stored = await readCardOrWallet(programId, account);
  const program = stored || !suspendUnknown ? undefined : await readProgram(programId);
  const currency: Currency | undefined = stored?.currency ?? program?.currency;
  if (currency === undefined) return undefined;
  const { chain, asset, txHash, reference } = event;
  const isOther = event.currency !== undefined && event.currency !== currencyNames[currency];
  const receivedCurrency = isOther ? event.currency : undefined;
  const details = { amountMinor, channel, currency, chain, asset, txHash, reference, receivedCurrency };
  return { account, ...details, stored };
}

/** Of events that race for one deposit, the later is planned again from new reads. */
export function planDeposit(
  event: DepositEvent,
  subject: DepositSubject | undefined,
  { report }: DepositOptions = {},
): PlanFromReads | Rejected {
  if (!subject) return notFound;
  const plan =
    "announced" in subject
      ? planNewDeposit(event, subject.announced, report)
      : planExistingDeposit(event, subject, report);
  if ("rejected" in plan) return report ? notFound : plan;
  const { commit } = plan;
  return {
    ...plan,
    commit: { ...commit, writes: [...commit.writes, ...(report?.writes ?? [])] },
    reject: (failed) => {
      if (writtenMeanwhile.some((name) => failed.has(name))) return notFound;
      if (failed.has("account") && !failed.get("account")) return notFound;
      const isTaken = failed.has("deposit") || failed.has("suspense");
      return event.kind === "deposit_pending" && isTaken ? illegal : undefined;
    },
  };
}

/** Credits the account, or suspense if the account cannot take money: all money is booked. */
function planNewDeposit(
  event: DepositEvent,
  { stored, receivedCurrency, ...details }: AnnouncedDeposit,
  report: DepositReport | undefined,
): Omit<PlanFromReads, "reject"> {
  const { programId, depositId: givenId } = event;
  const { account } = details;
  const at = now();
  const depositId = givenId ?? newId("deposit");
  const status = event.kind === "deposit_pending" ? DepositStatus.pending : DepositStatus.cleared;
  const fields = { ...details, programId, depositId, status };
  const found = findSuspenseReason(stored, receivedCurrency);
  const suspend = report?.suspend ?? (found && { reason: found });
  if (suspend) {
    const suspenseId = toSuspenseId(depositId);
    const item = { ...fields, suspenseId, ...suspend, receivedCurrency, createdAt: timestamp(at) };
    const commit = suspendDeposit(item, at);
    return { commit, result: { outcome: "applied", depositId, suspenseId }, account, isSuspension: true };
  }
  const { cardholderId, cardToken } = stored ?? {};
  const { commit, redelivery } = newDeposit({ ...fields, cardholderId, cardToken }, at);
  const notSuspended = suspenseItems.at(programId, depositId).check(isNew);
  const writes = givenId ? [notSuspended, ...commit.writes] : commit.writes;
  return { commit: { ...commit, writes }, redelivery, result: { outcome: "applied", depositId }, account };
}

function findSuspenseReason(
  stored: CardOrWallet | undefined,
  receivedCurrency: string | undefined,
): SuspenseReason | undefined {
  if (!stored) return "ACCOUNT_UNKNOWN";
  if (receivedCurrency !== undefined) return "CURRENCY_MISMATCH";
  const { issuerCardStatus: status } = stored;
  if (status === undefined || acceptingStatuses.includes(status)) return undefined;
  return status === CardStatus.closed ? "CARD_CLOSED" : "CARD_NOT_APPROVED";
}

const triggers = {
  deposit_pending: undefined,
  deposit_cleared: "clear",
  deposit_reversed: "reverse",
  deposit_returned: "return",
} as const satisfies Record<DepositEvent["kind"], DepositTrigger | undefined>;

/** A return that overtakes the clearing reverses the pending deposit. */
function planExistingDeposit(
  event: DepositEvent,
  subject: Exclude<DepositSubject, { announced: unknown }>,
  report: DepositReport | undefined,
): Omit<PlanFromReads, "reject"> | Rejected {
  const record = "deposit" in subject ? subject.deposit : subject.suspended;
  const { depositId, account, status } = record;
  if (report && event.kind === "deposit_cleared" && "deposit" in subject)
    return planReported(event, subject.deposit);
  const isEarlyReturn = event.kind === "deposit_returned" && status === DepositStatus.pending;
  const returned = event.kind === "deposit_returned" ? event.amount : undefined;
  const trigger = isEarlyReturn ? "reverse" : triggers[event.kind];
  const isLegal = depositTransitions.some((one) => one.from === status && one.trigger === trigger);
  if (!trigger || !isLegal || contradicts(event, record)) return illegal;
  const left = leftMinor(record);
  const isTooMuch = returned !== undefined && returned > left;
  // Of money that has not come yet, no part can go back.
  if (isTooMuch || (isEarlyReturn && (returned ?? left) < left)) return illegal;
  if ("deposit" in subject) {
    return {
      ...settleDeposit(subject.deposit, trigger, now(), { amountMinor: returned }),
      result: { outcome: "applied", depositId },
      account,
    };
  }
  const { suspenseId } = subject.suspended;
  const commit = settleSuspense(subject.suspended, trigger, now(), returned);
  return { commit, result: { outcome: "applied", depositId, suspenseId }, account };
}

/** What was announced, or a simulated bank has cleared: of the same report at most once. */
function planReported(
  event: DepositEvent & { readonly kind: "deposit_cleared" },
  deposit: Deposit,
): Omit<PlanFromReads, "reject"> | Rejected {
  const { depositId, account, amountMinor, status, channel, expiresAt } = deposit;
  if ((channel === "bank" && expiresAt === undefined) || deposit.isReported) return illegal;
  const result = { outcome: "applied", depositId } as const;
  if (status === DepositStatus.pending) {
    const reported = { amountMinor: event.amount, isReport: true };
    return { ...settleDeposit(deposit, "clear", now(), reported), result, account };
  }
  if (status !== DepositStatus.cleared || event.amount !== amountMinor) return illegal;
  return { commit: noteReport(deposit, now()), result, account };
}

/** Whether a clearing names another amount or account than its deposit. */
function contradicts(
  event: DepositEvent,
  {
    account,
    amountMinor,
    announcedFor = account.accountId,
  }: (SuspenseItem & Pick<Deposit, "announcedFor">) | Deposit,
): boolean {
  if (event.kind !== "deposit_cleared") return false;
  return (event.amount ?? amountMinor) !== amountMinor || (event.accountId ?? announcedFor) !== announcedFor;
}
