import { type CardOrWallet, cardOrWalletAt } from "../cards/card.ts";
import { later, nothing, type ReadMore, type Rejected, type Unread, unread } from "../changes/change.ts";
import { CardStatus, currencyNames, type DepositStatus, type SuspenseReason } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { logMeasured } from "../platform/metrics.ts";
import { isNew } from "../platform/table/condition.ts";
import { type Program, readProgram } from "../tenancy/programs/program.ts";
import { acceptingStatuses, type Deposit } from "./deposit.ts";
import { newDeposit } from "./deposit-change.ts";
import type { DecidedDeposit } from "./found-deposit.ts";
import { type SuspenseItem, suspendDeposit, suspenseItems, toSuspenseId } from "./suspense.ts";

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
  const { commit, redelivery } = newDeposit({ ...fields, cardholderId, cardToken }, at);
  const notSuspended = suspenseItems.at(programId, depositId).check(isNew);
  return {
    ...commit,
    writes: isNamed ? [notSuspended, ...commit.writes] : commit.writes,
    redelivery,
    answer: { outcome: "applied", depositId },
    balancesOf: details.account,
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
