import { type Card, type CardOrWallet, cardOrWalletAt, cards } from "../cards/card.ts";
import {
  type Decided,
  later,
  nothing,
  type ReadMore,
  type Reads,
  type Rejected,
  type Unread,
  unread,
  whenFailed,
} from "../changes/change.ts";
import {
  CardStatus,
  currencyNames,
  DepositStatus,
  type SuspenseReason,
  SuspenseStatus,
} from "../contract/enums.ts";
import type { Applied } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import { logMeasured } from "../platform/metrics.ts";
import { isNew } from "../platform/table/condition.ts";
import { type Program, readProgram } from "../tenancy/programs/program.ts";
import {
  acceptingStatuses,
  type Deposit,
  type DepositTrigger,
  deposits,
  depositTransitions,
  leftMinor,
} from "./deposit.ts";
import { type DepositChange, depositedOn, newDeposit, noteReport, settleDeposit } from "./deposit-change.ts";
import {
  type SuspenseItem,
  settleSuspense,
  suspendDeposit,
  suspenseItems,
  toSuspenseId,
} from "./suspense.ts";

/** A deposit that is not recorded yet. */
export interface Arrival
  extends Pick<
    Deposit,
    "programId" | "depositId" | "account" | "amountMinor" | "channel" | "chain" | "asset" | "txHash"
  > {
  readonly status: typeof DepositStatus.pending | typeof DepositStatus.cleared;
  readonly reference?: string | undefined;
  /** ISO 4217 code of the amount. Default: the account's. */
  readonly currency?: string | undefined;
  /** Another event may have named its id. */
  readonly isNamed?: boolean;
  /** Why the operator decides about it first. */
  readonly suspend?: Pick<SuspenseItem, "reason" | "duplicateOf" | "note"> | undefined;
  /** Whether it goes to suspense without its account, which is NOT_FOUND otherwise. */
  readonly suspendUnknown?: boolean | undefined;
}

export interface FoundAccount {
  readonly account: CardOrWallet | undefined | Unread;
  /** Read only if the account does not exist. */
  readonly program: Program | undefined | Unread;
}

/** Nothing yet: the decision asks for it. */
export const accountReads = { account: later(nothing), program: later(nothing) };

/** Credits the account, or suspense if the account cannot take money: all money is booked. */
export function decideArrival(
  { isNamed, suspend: suspendFirst, suspendUnknown, currency: received, ...details }: Arrival,
  { account: stored, program }: FoundAccount,
  at: Date,
): DecidedDeposit | Rejected<"NOT_FOUND"> | ReadMore<FoundAccount> {
  const { programId, depositId } = details;
  if (stored === unread) return { readMore: { account: cardOrWalletAt(programId, details.account) } };
  if (!stored && !suspendUnknown) return { rejected: "NOT_FOUND" };
  if (!stored && program === unread) return { readMore: { program: { get: () => readProgram(programId) } } };
  const currency = stored?.currency ?? (program === unread ? undefined : program?.currency);
  if (currency === undefined) return { rejected: "NOT_FOUND" };
  const fields = { ...details, currency };
  const receivedCurrency = received === currencyNames[currency] ? undefined : received;
  const found = findReason(stored, receivedCurrency);
  const suspend = suspendFirst ?? (found && { reason: found });
  if (suspend) {
    const suspenseId = toSuspenseId(depositId);
    const item = { ...fields, suspenseId, ...suspend, receivedCurrency, createdAt: timestamp(at) };
    const ids = { depositId, suspenseId };
    return {
      ...suspendDeposit(item, at),
      answer: { outcome: "applied", ...ids },
      balancesOf: details.account,
      whenCommitted: () =>
        logMeasured("The deposit is in suspense.", { programId, ...ids }, () => ({ DepositsSuspended: 1 })),
    };
  }
  const { cardholderId, cardToken } = stored ?? {};
  const on = depositedOn(details.account, stored);
  const { commit, redelivery } = newDeposit({ ...fields, cardholderId, cardToken, ...on }, at);
  const notSuspended = suspenseItems.at(programId, depositId).check(isNew);
  return {
    ...commit,
    writes: isNamed ? [notSuspended, ...commit.writes] : commit.writes,
    redelivery,
    answer: { outcome: "applied", depositId },
    balancesOf: on.account,
  };
}

function findReason(
  stored: CardOrWallet | undefined,
  receivedCurrency: string | undefined,
): SuspenseReason | undefined {
  if (!stored) return "ACCOUNT_UNKNOWN";
  if (receivedCurrency !== undefined) return "CURRENCY_MISMATCH";
  const { issuerCardStatus: status } = stored;
  if (status === undefined || acceptingStatuses.includes(status)) return undefined;
  return status === CardStatus.closed ? "CARD_CLOSED" : "CARD_NOT_APPROVED";
}

export type DecidedDeposit = Decided<Applied>;

/** What is known of a deposit: on its account, or in suspense. */
export interface FoundDeposit {
  readonly deposit: Deposit | undefined | Unread;
  readonly suspense: SuspenseItem | undefined | Unread;
  /** Its Card, if that spends from a Wallet: the money goes on to it. */
  readonly card: Card | undefined | Unread;
}

/** Nothing is read of a Card with money of its own. */
export const cardOfDeposit = whenFailed<Card>((stored) => cards.parse(stored));

/** Its place in suspense is read if it is on no account. */
export function depositReads(programId: string, depositId: string): Reads<FoundDeposit> {
  return {
    deposit: deposits.at(programId, depositId),
    suspense: later(suspenseItems.at(programId, depositId)),
    card: cardOfDeposit,
  };
}

export const noDeposit = { deposit: later(nothing), suspense: later(nothing), card: cardOfDeposit };

/** The deposit, or that in suspense. */
export function findRecord(
  { programId, depositId }: Pick<Deposit, "programId" | "depositId">,
  { deposit, suspense }: FoundDeposit,
): { readonly record: Deposit | SuspenseItem | undefined } | ReadMore<FoundDeposit> {
  if (deposit === unread) return { readMore: { deposit: deposits.at(programId, depositId) } };
  if (deposit) return { record: deposit };
  if (suspense === unread) return { readMore: { suspense: suspenseItems.at(programId, depositId) } };
  // It was assigned between the two reads: the deposit exists now.
  if (suspense?.status === SuspenseStatus.assigned)
    return { readMore: { deposit: deposits.at(programId, depositId) } };
  return { record: suspense };
}

const illegal: Rejected<"ILLEGAL_TRANSITION"> = { rejected: "ILLEGAL_TRANSITION" };

const known = (card: FoundDeposit["card"]) => (card === unread ? undefined : card);

/** A return that overtakes the clearing reverses the pending deposit. Default: all is returned. */
export function settle(
  record: Deposit | SuspenseItem,
  trigger: DepositTrigger,
  at: Date,
  { card }: Pick<FoundDeposit, "card">,
  returnedMinor?: number,
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { depositId, status } = record;
  const isEarly = trigger === "return" && status === DepositStatus.pending;
  const step = isEarly ? "reverse" : trigger;
  if (!depositTransitions.some((one) => one.from === status && one.trigger === step)) return illegal;
  const left = leftMinor(record);
  // No part of money that has not come yet can go back.
  if (returnedMinor !== undefined && (returnedMinor > left || (isEarly && returnedMinor < left)))
    return illegal;
  if ("suspenseId" in record) {
    const { suspenseId } = record;
    const answer = { outcome: "applied", depositId, suspenseId } as const;
    return { ...settleSuspense(record, step, at, returnedMinor), answer };
  }
  return applied(record, settleDeposit(record, step, at, { amountMinor: returnedMinor, card: known(card) }));
}

function applied(
  { depositId, account }: Deposit,
  { commit, redelivery }: Pick<DepositChange, "commit" | "redelivery">,
): DecidedDeposit {
  return { ...commit, redelivery, answer: { outcome: "applied", depositId }, balancesOf: account };
}

/**
 * What a bank or custodian reports of what was announced, or a simulated bank has cleared: of the
 * same report at most once. It says what has come: another amount was announced then.
 */
export function settleReported(
  deposit: Deposit,
  amountMinor: number,
  at: Date,
  { card }: Pick<FoundDeposit, "card">,
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { status, channel, expiresAt } = deposit;
  if ((channel === "bank" && expiresAt === undefined) || deposit.isReported) return illegal;
  if (status === DepositStatus.pending)
    return applied(
      deposit,
      settleDeposit(deposit, "clear", at, { amountMinor, isReport: true, card: known(card) }),
    );
  if (status !== DepositStatus.cleared || amountMinor !== deposit.amountMinor) return illegal;
  return applied(deposit, { commit: noteReport(deposit, at), redelivery: undefined });
}
