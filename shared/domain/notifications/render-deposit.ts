import { DepositStatus, EventType, TransactionResult, TransactionType } from "../../contract/enums.ts";
import type { DepositData, DepositOriginal } from "../../contract/notifications.ts";
import type { CardIdentity } from "../cards/card-identity.ts";
import { numericCurrency } from "../transactions/source-amount.ts";
import { decimalNumber, decimalText, envelopeOf, traceNumber } from "./envelope.ts";
import { type Notification, notificationOf } from "./notification.ts";

/** How each status is announced. */
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

/** A deposit on a card that is pending, has cleared, or was returned. */
export interface DepositNotice {
  readonly transIdSc: string;
  /** The TransId_SC of the deposit's notification before, if there was one. */
  readonly original?: string | undefined;
  readonly card: Pick<CardIdentity, "programId" | "cardId" | "cardToken" | "cardholderId" | "currency">;
  readonly status: keyof typeof kinds;
  readonly depositId: string;
  readonly amountMinor: number;
  readonly channel: "bank" | "crypto";
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly txHash?: string | undefined;
  /** When it came to have the status, ISO 8601. */
  readonly at: string;
}

/** A DEPOSIT: the amount in the card's currency. */
export function renderDeposit(notice: DepositNotice): Notification {
  const { transIdSc, card, status, depositId, amountMinor, channel } = notice;
  const { cdcEvent, eventType, TransType, TransResult } = kinds[status];
  const texts = {
    MsgType: "DEPOSIT",
    depositId,
    channel,
    chain: notice.chain ?? null,
    asset: notice.asset ?? null,
    txHash: notice.txHash ?? null,
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
  const envelope = envelopeOf(transIdSc, card, {
    original: notice.original,
    TransId_Issuer: String(traceNumber("settlement")),
    TransType,
    TransResult,
    TransAmount: amountMinor,
    TransMerchantName: "",
    TransDate: notice.at,
    data,
  });
  return notificationOf(card.programId, eventType, envelope);
}
