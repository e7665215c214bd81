import { type Change, later, type StepRefusal, unread } from "../changes/change.ts";
import { DepositStatus, DestinationType } from "../contract/enums.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import type { Account } from "../ledger/account.ts";
import { newId } from "../platform/id.ts";
import { type Arrival, accountReads, decideArrival, type FoundAccount } from "./arrival.ts";
import { type Deposit, deposits } from "./deposit.ts";
import {
  cardOfDeposit,
  depositReads,
  type FoundDeposit,
  findRecord,
  noDeposit,
  settle,
} from "./known-deposit.ts";
import { type SuspenseItem, suspenseItems } from "./suspense.ts";
import { takerAt } from "./takers.ts";

type Kind = "deposit_pending" | "deposit_cleared" | "deposit_reversed" | "deposit_returned";
type Events = {
  readonly [K in Kind]: Extract<ProcessorEvent, { kind: K }> & Pick<Arrival, "suspendUnknown">;
};
export type DepositEvent = Events[Kind];

type Found = FoundDeposit & FoundAccount;
type DepositChange<K extends Kind> = Change<Events[K], Found, Applied, StepRefusal>;

const notFound = { rejected: "NOT_FOUND" } as const;
const illegal = { rejected: "ILLEGAL_TRANSITION" } as const;

/** If two events race for a deposit, the later is decided again with what the first wrote. */
const pending: DepositChange<"deposit_pending"> = {
  reads: ({ programId, depositId = "", ...to }) => ({
    deposit: later(deposits.at(programId, depositId)),
    suspense: later(suspenseItems.at(programId, depositId)),
    card: cardOfDeposit,
    ...accountReads,
    account: takerAt(programId, toAccount(to)),
  }),
  decide: (event, found, at) => {
    const isTaken = [found.deposit, found.suspense].some((one) => one !== unread && one);
    if (isTaken) return illegal;
    return decideArrival(toArrival(event, DepositStatus.pending), found, at);
  },
};

/** With a deposit's id, clears it. With details instead, it is one that was never pending. */
const cleared: DepositChange<"deposit_cleared"> = {
  reads: ({ programId, depositId }) => ({
    ...(depositId === undefined ? noDeposit : depositReads(programId, depositId)),
    ...accountReads,
  }),
  decide: (event, found, at) => {
    const { programId, depositId, accountType, accountId, amount } = event;
    const known = depositId === undefined ? undefined : findRecord({ programId, depositId }, found);
    if (known && "readMore" in known) return known;
    if (known?.record)
      return contradicts(event, known.record) ? illegal : settle(known.record, "clear", at, found);
    if (accountType === undefined || accountId === undefined || amount === undefined) return notFound;
    const announced = { ...event, accountType, accountId, amount };
    return decideArrival(toArrival(announced, DepositStatus.cleared), found, at);
  },
};

/** Whether a clearing names another amount or account than its deposit. */
function contradicts(
  { amount, accountId }: Events["deposit_cleared"],
  {
    account,
    amountMinor,
    cardId,
    announcedFor = cardId ?? account.accountId,
  }: Deposit | (SuspenseItem & { announcedFor?: never; cardId?: never }),
): boolean {
  return (amount ?? amountMinor) !== amountMinor || (accountId ?? announcedFor) !== announcedFor;
}

const ended = (trigger: "reverse" | "return"): DepositChange<"deposit_reversed" | "deposit_returned"> => ({
  reads: ({ programId, depositId }) => ({ ...depositReads(programId, depositId), ...accountReads }),
  decide: (event, found, at) => {
    const known = findRecord(event, found);
    if ("readMore" in known) return known;
    const returnedMinor = event.kind === "deposit_returned" ? event.amount : undefined;
    return known.record ? settle(known.record, trigger, at, found, returnedMinor) : notFound;
  },
});

export const depositEvents = {
  deposit_pending: pending,
  deposit_cleared: cleared,
  deposit_reversed: ended("reverse"),
  deposit_returned: ended("return"),
} as const satisfies { readonly [K in Kind]: DepositChange<K> };

/** The change of an event of any of these kinds. */
export function depositChange({ kind }: DepositEvent) {
  return depositEvents[kind] as unknown as Change<DepositEvent, Found, Applied, StepRefusal>;
}

type Details = Omit<Events["deposit_pending"], "kind" | "channel"> &
  Pick<Events["deposit_cleared"], "channel">;

function toAccount({ accountType, accountId }: Pick<Details, "accountType" | "accountId">): Account {
  return { kind: accountType === DestinationType.card ? "card" : "wallet", accountId };
}

function toArrival(event: Details, status: Arrival["status"]): Arrival {
  const { programId, depositId, amount: amountMinor, channel = "crypto", currency, suspendUnknown } = event;
  const { chain, asset, txHash, reference } = event;
  return {
    ...{ programId, depositId: depositId ?? newId("deposit"), isNamed: depositId !== undefined },
    ...{ account: toAccount(event), amountMinor, channel, currency, chain, asset, txHash, reference },
    ...{ status, suspendUnknown },
  };
}
