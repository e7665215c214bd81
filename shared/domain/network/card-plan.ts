import type { z } from "zod";
import type { ProgramSettings } from "../../contract/account-programs.ts";
import type { cardNetworkEvents, Merchant } from "../../contract/card-network.ts";
import { TransactionStatus } from "../../contract/enums.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId, withoutPrefix } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { CardIdentity, CardOrWallet } from "../cards/card.ts";
import type { Chargeback } from "../disputes/chargeback.ts";
import type { Hold } from "../holds/hold.ts";
import type { Account, AccountCondition } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { type EntryKind, journalEntry } from "../ledger/journal-entry.ts";
import type { AccountBalances, Posting } from "../ledger/postings.ts";
import { renderCardNotifications } from "../notifications/card-notifications.ts";
import { type Charge, type Fee, feePut } from "../transactions/fee.ts";
import { sourceAmount, type Transaction, transactionPut } from "../transactions/transaction.ts";
import type { AppliedResult } from "./event-plan.ts";

type NetworkEvent = z.output<(typeof cardNetworkEvents)[number]>;
type NetworkEventOf<K extends NetworkEvent["kind"]> = Extract<NetworkEvent, { kind: K }>;

/** The platform's own events of a card say more than the network's, or less. */
interface OwnEvents {
  /** Without an amount, all that is held. */
  clearing: Omit<NetworkEventOf<"clearing">, "amount"> & { readonly amount?: number | undefined };
  /** `withinHold`: rejected for more than is held; for exactly that, it finishes the authorization. */
  authorization_reversal: NetworkEventOf<"authorization_reversal"> & { readonly withinHold?: boolean };
  /** `dueAt`: the platform's deadline, which expires what is due by then. */
  authorization_expiry: NetworkEventOf<"authorization_expiry"> & { readonly dueAt?: Date };
}

/** An event of the card network, or one that the platform makes in its place. */
export type CardEvent = Exclude<NetworkEvent, { kind: keyof OwnEvents }> | OwnEvents[keyof OwnEvents];
export type CardEventOf<K extends CardEvent["kind"]> = Extract<CardEvent, { kind: K }>;

/** An event with all that it is planned from. */
export interface CardSubject<E extends CardEvent = CardEvent> {
  readonly event: E;
  readonly card: CardIdentity;
  readonly at: Date;
  /** Status and balances; absent if the event is tried without a read. */
  readonly account?: CardOrWallet | undefined;
  /** The hold of the event's authorization; absent until one of its events has arrived. */
  readonly hold?: Hold | undefined;
  /** The transaction, fee or chargeback that the event names, if it exists. */
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly chargeback?: Chargeback | undefined;
  /** Read only if they matter. */
  readonly settings?: ProgramSettings | undefined;
}

/** The settings of the Program, in a plan for which they are read. */
export function requiredSettings({ settings, event }: CardSubject): ProgramSettings {
  if (!settings) throw new Error(`The ${event.kind} is planned without the settings of its Program.`);
  return settings;
}

export interface CardPlan {
  /** Recorded in the same commit, as is the fee. */
  readonly transaction?: Transaction;
  readonly fee?: Fee | undefined;
  readonly entryKind: EntryKind;
  /** Empty where no money moves. */
  readonly postings: readonly Posting[];
  /** The record that the journal entry belongs to. */
  readonly relatedId: string;
  readonly require?: AccountCondition | undefined;
  /** Balances that must still be as they were read. */
  readonly balances?: Partial<AccountBalances>;
  readonly writes?: readonly WriteAction[];
  readonly outboxKind: OutboxEvent["kind"];
  /** Further detail of the outbox item. */
  readonly detail?: Readonly<Record<string, unknown>> & { readonly placedMinor?: number };
  /** Beside the ids of transaction and fee. */
  readonly result: Omit<AppliedResult, "outcome">;
}

export function cardAccount({ cardId }: Pick<CardIdentity, "cardId">): Account {
  return { kind: "card", accountId: cardId };
}

/** One commit: the card's balances with their postings, the records, the notifications and the outbox item. */
export function toCommit({ card, at, account }: CardSubject, plan: CardPlan): Commit {
  const {
    transaction,
    fee,
    entryKind,
    postings,
    relatedId,
    require,
    balances,
    writes = [],
    outboxKind,
  } = plan;
  const { programId } = card;
  const detail = { transaction, fee, ...plan.detail };
  const notifications = renderCardNotifications(outboxKind, card, detail);
  return {
    programId,
    at,
    ...(postings.length > 0 && { entry: journalEntry(entryKind, relatedId, postings, at) }),
    accounts:
      postings.length > 0 || require || balances
        ? [
            {
              name: "account",
              account: cardAccount(card),
              ...(require && { require }),
              ...(balances && { balances }),
            },
          ]
        : [],
    writes: [
      ...writes,
      ...(transaction ? [transactionPut(transaction)] : []),
      ...(fee ? [feePut(fee)] : []),
      ...notifications.writes,
      outboxPut(programId, outboxKind, { card, ...detail, ...notifications.notificationIds }, at),
    ],
    ...(notifications.writesWithBalance && {
      balanceAfter: {
        name: "account",
        writes: notifications.writesWithBalance,
        ...(account && { seenMinor: account.ledgerMinor }),
      },
    }),
  };
}

export function toResult({ transaction, fee, result }: CardPlan): AppliedResult {
  return {
    outcome: "applied",
    ...(transaction && { transId: transaction.transId }),
    ...(fee && { feeId: fee.feeId }),
    ...result,
  };
}

type RecordFields = Pick<Transaction, "transType" | "transStatus" | "type" | "amountMinor" | "description"> &
  Partial<Transaction> & { readonly merchant?: Merchant };

/** The record of an event on a card. A pending or declined one is not posted. */
export function newTransaction({ event, card, at }: CardSubject, fields: RecordFields): Transaction {
  const { merchant = {}, ...own } = fields;
  const { programId, cardId, cardholderId, currency } = card;
  const { srcAmount, srcCurrency, ...named } = merchant;
  const transId = own.transId ?? newId("transaction");
  const isPosted =
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
    ...(isPosted && { postDate: timestamp(at) }),
    createdAt: timestamp(at),
    ...own,
    transId,
  };
}

export function toCharge({ event, card, at }: CardSubject): Charge {
  return { identity: card, at, occurredAt: event.occurredAt };
}

export function toMerchant(event: Merchant): Merchant {
  const { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency } = event;
  return { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency };
}
