import {
  type Currency,
  DepositStatus,
  EventType,
  TransactionResult,
  TransactionType,
} from "../contract/enums.ts";
import type { DepositData, DepositOriginal } from "../contract/notifications.ts";
import {
  decimalNumber,
  decimalText,
  type Notification,
  type NotifiedCard,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "../notifications/notification.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { numericCurrency } from "../transactions/transaction.ts";

const kinds = {
  [DepositStatus.pending]: {
    cdcEvent: "DEPOSIT_PENDING",
    eventType: EventType.depositPending,
    TransType: TransactionType.gpa_credit_pending,
    TransResult: TransactionResult.depositPending,
  },
  [DepositStatus.cleared]: {
    cdcEvent: "DEPOSIT_CLEARED",
    eventType: EventType.depositCleared,
    TransType: TransactionType.gpa_credit,
    TransResult: TransactionResult.depositCleared,
  },
  [DepositStatus.returned]: {
    cdcEvent: "DEPOSIT_RETURNED",
    eventType: EventType.depositReturned,
    TransType: TransactionType.gpa_credit_reversal,
    TransResult: TransactionResult.depositReturned,
  },
} as const;

export interface DepositFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the deposit's notification before, if there was one. */
  readonly original?: string | undefined;
  readonly card: Omit<NotifiedCard, "maskedCardNumber">;
  readonly status: keyof typeof kinds;
  readonly depositId: string;
  readonly amountMinor: number;
  readonly channel: "bank" | "crypto";
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly txHash?: string | undefined;
  /** When it reached the status, ISO 8601. */
  readonly at: string;
}

/** A DEPOSIT: the amount in the card's currency. */
export function renderDeposit(facts: DepositFacts): Notification {
  const { transIdSc, card, status, depositId, amountMinor, channel } = facts;
  const { cdcEvent, eventType, TransType, TransResult } = kinds[status];
  const texts = {
    MsgType: "DEPOSIT",
    depositId,
    channel,
    chain: facts.chain ?? null,
    asset: facts.asset ?? null,
    txHash: facts.txHash ?? null,
    currencyCode: numericCurrency[card.currency],
  } as const;
  const original: DepositOriginal = {
    cdcEvent,
    payload: { ...texts, amount: decimalNumber(amountMinor) },
  };
  const data: DepositData = {
    ...texts,
    amount: decimalText(amountMinor),
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    original: facts.original,
    TransId_Issuer: String(traceNumber("settlement")),
    TransType,
    TransResult,
    TransAmount: amountMinor,
    TransMerchantName: "",
    TransDate: facts.at,
    data,
  });
  return toNotification(card.programId, eventType, envelope);
}

export interface NotifiedDeposit
  extends Pick<DepositFacts, "depositId" | "amountMinor" | "channel" | "chain" | "asset" | "txHash"> {
  readonly programId: string;
  readonly account: { readonly kind: string; readonly accountId: string };
  readonly status: DepositStatus;
  readonly currency: Currency;
  /** Cards only. */
  readonly cardholderId?: string | undefined;
  readonly cardToken?: string | undefined;
  /** Its notifications so far. */
  readonly pendingTransIdSc?: string | undefined;
  readonly clearedTransIdSc?: string | undefined;
}

/** Undefined for a deposit to a wallet, and for a reversed one: neither is notified. */
export function renderDepositNotification(deposit: NotifiedDeposit, at: Date): Notification | undefined {
  const { programId, account, cardholderId, cardToken, currency, status } = deposit;
  if (account.kind !== "card" || cardholderId === undefined || cardToken === undefined) return undefined;
  if (status === DepositStatus.reversed) return undefined;
  const { pendingTransIdSc, clearedTransIdSc } = deposit;
  const [own, original] = {
    [DepositStatus.pending]: [pendingTransIdSc, undefined],
    [DepositStatus.cleared]: [clearedTransIdSc, pendingTransIdSc],
    [DepositStatus.returned]: [undefined, clearedTransIdSc],
  }[status];
  const card = { programId, cardId: account.accountId, cardToken, cardholderId, currency };
  const transIdSc = own ?? newId("notification");
  return renderDeposit({ ...deposit, transIdSc, original, card, status, at: timestamp(at) });
}
