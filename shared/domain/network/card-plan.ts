import type { z } from "zod";
import type { cardNetworkEvents } from "../../contract/card-network.ts";
import { TransactionStatus } from "../../contract/enums.ts";
import type { Merchant } from "../../contract/merchant.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId, withoutPrefix } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import type { Account } from "../ledger/account.ts";
import type { AccountRequirements } from "../ledger/account-change.ts";
import { type EntryKind, journalEntry } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/posting.ts";
import { renderCardNotifications } from "../notifications/card-notifications.ts";
import type { Charge, Fee } from "../transactions/fee.ts";
import { sourceAmount } from "../transactions/source-amount.ts";
import type { Transaction } from "../transactions/transaction.ts";
import type { AppliedResult, EventPlan } from "./event-plan.ts";

/** An event of the card network. */
export type CardEvent = z.output<(typeof cardNetworkEvents)[number]>;
export type CardEventOf<K extends CardEvent["kind"]> = Extract<CardEvent, { kind: K }>;

/** The event, the card that it happened on, and the time of its application. */
export interface Subject<E extends CardEvent = CardEvent> {
  readonly event: E;
  readonly identity: CardIdentity;
  readonly at: Date;
}

/** What is the event's own in the record of it. */
export type RecordFields = Pick<
  Transaction,
  "transType" | "transStatus" | "type" | "amountMinor" | "description"
> &
  Partial<Transaction> & {
    /** What the network told of the merchant and of what was billed. */
    readonly merchant?: Merchant;
  };

/** The record of an event on a card. A pending or declined one is not posted. */
export function recordOf({ event, identity, at }: Subject, fields: RecordFields): Transaction {
  const { merchant = {}, ...own } = fields;
  const { programId, cardId, cardholderId, currency } = identity;
  const { srcAmount, srcCurrency, ...named } = merchant;
  const transId = own.transId ?? newId("transaction");
  const posted =
    own.transStatus !== TransactionStatus.pending && own.transStatus !== TransactionStatus.declined;
  return {
    programId,
    cardId,
    cardholderId,
    currency,
    ...named,
    ...sourceAmount({ srcAmount, srcCurrency }, own.amountMinor, currency),
    referenceCode: withoutPrefix(transId),
    transDate: event.occurredAt ?? timestamp(at),
    ...(posted && { postDate: timestamp(at) }),
    createdAt: timestamp(at),
    ...own,
    transId,
  };
}

/** Who is charged for the event, and when it happened. */
export function chargeFor({ event, identity, at }: Subject): Charge {
  return { identity, at, occurredAt: event.occurredAt };
}

/** What is told of an event on a card beside its kind. */
interface CardDetail extends Readonly<Record<string, unknown>> {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  /** What a hold came to hold more by the event. */
  readonly placedMinor?: number | undefined;
}

/** What an event on a card comes to. */
export interface CardPlan {
  readonly subject: Subject;
  readonly entryKind: EntryKind;
  /** Of nothing where no money moves. */
  readonly postings: readonly Posting[];
  /** The record that the entry belongs to. */
  readonly relatedId: string;
  readonly require?: AccountRequirements;
  readonly writes: readonly WriteAction[];
  readonly tell: OutboxEvent["kind"];
  readonly detail: CardDetail;
  readonly result: Omit<AppliedResult, "outcome">;
  readonly again: EventPlan["again"];
}

/** The plan as one commit: postings with the card's balances, records, the event that tells of them, and the notifications of it. */
export function cardPlan(plan: CardPlan): EventPlan {
  const { subject, entryKind, postings, relatedId, require, writes, tell, detail, result, again } = plan;
  const { identity, at } = subject;
  const { programId, cardId } = identity;
  const account: Account = { kind: "card", accountId: cardId };
  const {
    notificationIds,
    writes: notifications,
    writesWithBalance,
  } = renderCardNotifications(tell, identity, detail);
  return {
    commit: {
      programId,
      at,
      ...(postings.length > 0 && { entry: journalEntry(entryKind, relatedId, postings, at) }),
      accounts:
        postings.length > 0 || require ? [{ name: "account", account, ...(require && { require }) }] : [],
      writes: [
        ...writes,
        ...notifications,
        outboxPut(programId, tell, { card: identity, ...detail, ...notificationIds }, at),
      ],
      ...(writesWithBalance && { balanceAfter: { name: "account", writes: writesWithBalance } }),
    },
    result: { outcome: "applied", ...result },
    again,
  };
}

/** For a plan that nothing can refuse but a repetition of its event. */
export function unrefusable(): never {
  throw new Error("The store refused what has no condition.");
}
