import { type Card, hasOwnMoney } from "../cards/card.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { AccountCondition } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import { sweptTo } from "../ledger/movements.ts";
import type { Posting } from "../ledger/postings.ts";
import { listUpdate } from "../lists/entry.ts";
import { newNotificationId } from "../notifications/notification.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlineDelete } from "../platform/deadlines.ts";
import { absent, oneOf } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep, type TransitionTable } from "../platform/table/transition.ts";
import { creditUpdates, returnPuts } from "./card-deposit.ts";
import {
  accountDepositList,
  type Deposit,
  depositCleared,
  depositList,
  depositReturned,
  deposits,
  fundingAccounts,
  pendingDepositCleared,
  pendingDepositReversed,
} from "./deposit.ts";
import { expectedDeletes } from "./expected.ts";
import { type DepositChange, depositEvent } from "./new-deposit.ts";

export type DepositTrigger = "clear" | "reverse" | "return";

/** Every legal change of a deposit's status; the code and the documentation read this one table. */
export const depositTransitions = [
  { from: DepositStatus.pending, trigger: "clear", to: DepositStatus.cleared },
  { from: DepositStatus.pending, trigger: "reverse", to: DepositStatus.reversed },
  { from: DepositStatus.cleared, trigger: "return", to: DepositStatus.returned },
] as const satisfies TransitionTable<DepositStatus, DepositTrigger>;

/** What its bank can still take back. */
export const leftMinor = ({
  amountMinor,
  returnedMinor = 0,
}: Pick<Deposit, "amountMinor" | "returnedMinor">) => amountMinor - returnedMinor;

const entryKinds = {
  clear: "deposit_cleared",
  reverse: "deposit_reversed",
  return: "deposit_returned",
} as const;

/** What the bank says of it, if that decides. */
export interface Reported {
  /** The part that is returned, or what a report says has come of what was announced. */
  readonly amountMinor?: number | undefined;
  /** A bank's report is about it. */
  readonly isReport?: boolean;
  /** Its Card, once it is known to spend from a Wallet. */
  readonly card?: Pick<Card, "fundingWalletId"> | undefined;
}

/**
 * Each change is legal from one status, so of deadline and event one wins. A return is posted
 * whatever the balance, of all that is left of it without an amount. A Card that spends from a
 * Wallet keeps nothing of it. Failed conditions: `deposit`, and `account` or `card`.
 */
export function settleDeposit(
  deposit: Deposit,
  trigger: DepositTrigger,
  at: Date,
  { amountMinor = leftMinor(deposit), isReport = false, card }: Reported = {},
): DepositChange & { readonly changed: Partial<Deposit> } {
  const { programId, depositId, account, returnedMinor } = deposit;
  const { from, to: status } = findStep(depositTransitions, trigger);
  const isNotified = trigger === "clear" && account.kind === "card";
  const isPart = trigger === "return" && amountMinor < leftMinor(deposit);
  const moved = { ...deposit, amountMinor };
  const isOther = trigger === "clear" && amountMinor !== deposit.amountMinor;
  const changed = {
    status,
    [trigger === "return" ? "returnedAt" : "settledAt"]: timestamp(at),
    ...(isNotified && { clearedTransIdSc: newNotificationId(account.accountId) }),
    ...(isReport && { isReported: true }),
    ...(isOther && { amountMinor, announcedMinor: deposit.amountMinor }),
  };
  const set = isPart ? { returnedMinor: (returnedMinor ?? 0) + amountMinor } : changed;
  const event = depositEvent({ ...moved, ...changed }, at);
  const postings = settlementPostings(deposit, trigger, amountMinor);
  return {
    commit: {
      programId,
      at,
      ...settledOn(deposit, trigger, postings, card?.fundingWalletId, at),
      writes: [
        {
          ...deposits.at(programId, depositId).update({ set }, { status: oneOf(from), returnedMinor }),
          // Each trigger has one status that it starts from, which the condition requires.
          alongside: isPart
            ? []
            : from.flatMap((before) => listUpdates({ ...deposit, status: before }, { ...moved, status })),
        },
        ...(trigger === "return" ? returnPuts(moved, at) : creditUpdates(deposit, trigger, at, amountMinor)),
        ...event.writes,
        ...(trigger === "return" ? [] : pendingDeletes(deposit, trigger === "reverse")),
      ],
    },
    redelivery: event.redelivery,
    changed: set,
  };
}

/** On its account, or by it on the Wallet that its Card spends from now. */
function settledOn(
  { depositId, account }: Deposit,
  trigger: DepositTrigger,
  postings: readonly Posting[],
  walletId: string | undefined,
  at: Date,
): Pick<Commit, "entry" | "accounts"> {
  const kind = entryKinds[trigger];
  if (account.kind === "wallet" || trigger === "reverse")
    return { entry: journalEntry(kind, depositId, postings, at), accounts: [{ name: "account", account }] };
  const { accountId: cardId } = account;
  const swept = sweptTo(walletId, cardId, postings);
  const require = (walletId === undefined ? hasOwnMoney : { fundingWalletId: walletId }) as AccountCondition;
  return {
    entry: { ...journalEntry(kind, depositId, swept, at), ...(walletId !== undefined && { cardId }) },
    accounts: [
      { name: "card", account, require },
      ...(walletId === undefined
        ? []
        : [{ name: walletId, account: { kind: "wallet", accountId: walletId } as const }]),
    ],
  };
}

/** What waits for a pending deposit's end. */
function pendingDeletes(deposit: Deposit, isOver: boolean): WriteAction[] {
  const { programId, depositId, clearsAt, expiresAt } = deposit;
  const hasDeadline = (clearsAt ?? expiresAt) !== undefined;
  return [
    ...(hasDeadline ? [deadlineDelete(programId, depositId)] : []),
    ...expectedDeletes(deposit, isOver),
  ];
}

/** The bank reports what a simulated one has cleared already: no money moves. */
export function noteReport(deposit: Deposit, at: Date): Commit {
  const { programId, depositId, status } = deposit;
  return {
    programId,
    at,
    writes: [
      deposits.at(programId, depositId).update({ set: { isReported: true } }, { status, isReported: absent }),
    ],
  };
}

function settlementPostings(
  { account: { accountId }, amountMinor: announced, channel }: Deposit,
  trigger: DepositTrigger,
  amountMinor: number,
) {
  const funding = fundingAccounts[channel];
  if (trigger === "return") return depositReturned(accountId, funding, amountMinor);
  const reversed = pendingDepositReversed(accountId, funding, announced);
  if (trigger === "reverse") return reversed;
  if (amountMinor === announced) return pendingDepositCleared(accountId, amountMinor);
  return [...reversed, ...depositCleared(accountId, funding, amountMinor)];
}

function listUpdates(before: Deposit, after: Deposit): WriteAction[] {
  const { programId, depositId, account } = before;
  return [
    listUpdate(depositList, programId, depositId, before, after),
    listUpdate(accountDepositList, programId, depositId, before, after, account.accountId),
  ];
}
