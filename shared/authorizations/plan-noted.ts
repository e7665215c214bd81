import { TransactionType } from "../contract/enums.ts";
import { toBalances } from "../ledger/account.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  newTransaction,
  notFound,
  type OfAccount,
  type OfControls,
  type Rejected,
  toMerchant,
} from "../network-events/plan.ts";
import { atTill, toSpendable } from "../network-events/wallet-funding.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { findDecline, planDecline } from "./decline.ts";

type Noted = CardSubject<CardEventOf<"balance_inquiry" | "refund_authorization">> & OfAccount;

/** Records a balance inquiry at an ATM. Repetitions of the event are answered the same balances. */
function planBalanceInquiry(
  subject: CardSubject<CardEventOf<"balance_inquiry">> & OfAccount & OfControls,
): CardPlan | Rejected {
  const { event, card, account, controls, at } = subject;
  if (!account) return notFound;
  const transaction = newTransaction(subject, {
    transType: TransactionType.balanceinquiry,
    type: "DR",
    amountMinor: 0,
    description: "Balance Inquiry",
    merchant: toMerchant(event),
  });
  const { funding } = subject;
  const balances =
    funding?.walletId === undefined
      ? toBalances(account)
      : atTill(toSpendable(account, funding.wallet, controls?.leftMinor(at)));
  const result = { amount: 0, ...balances, currency: card.currency };
  return noteIfUsable(subject, transaction, result);
}

/** The refund itself moves the amount: the record only says it. */
function planRefundAuthorization(
  subject: CardSubject<CardEventOf<"refund_authorization">> & OfAccount,
): CardPlan | Rejected {
  const { event } = subject;
  const { amount, merchantName } = event;
  const { srcAmount: _, srcCurrency: __, ...merchant } = toMerchant(event);
  const from = merchantName === undefined ? "" : `: ${merchantName}`;
  const transaction = newTransaction(subject, {
    transType: TransactionType.refund_authorization,
    type: "CR",
    amountMinor: 0,
    description: `Refund authorization of ${(amount / 100).toFixed(2)}${from}`,
    merchant,
  });
  return noteIfUsable(subject, transaction, { approved: true, amount });
}

/** Whatever the balance and controls. Moves nothing. */
function noteIfUsable(
  subject: Noted,
  transaction: Transaction,
  result: CardPlan["result"],
): CardPlan | Rejected {
  const { event, account } = subject;
  if (!account) return notFound;
  const decline = event.failedCheck
    ? { reason: event.failedCheck }
    : findDecline(subject, account, Number.NEGATIVE_INFINITY);
  if (decline) return planDecline(subject, decline, transaction.description);
  return {
    transaction,
    entryKind: "clearing",
    postings: [],
    relatedId: transaction.transId,
    outboxKind: "transaction.noted",
    result,
  };
}

export const balanceInquiry = cardChange<CardEventOf<"balance_inquiry">>()({ plan: planBalanceInquiry });

export const refundAuthorization = cardChange<CardEventOf<"refund_authorization">>()({
  plan: planRefundAuthorization,
});
