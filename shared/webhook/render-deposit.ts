import type { CardIdentity } from "../card/card-identity.ts";
import { type DepositData, type DepositOriginal, EventType } from "../contract/notifications.ts";
import { TransactionType } from "../contract/transactions.ts";
import { numericCurrency } from "../transaction/source-amount.ts";
import { decimalNumber, decimalText, envelopeOf, traceNumber } from "./envelope.ts";
import { type Notification, notificationOf } from "./notification.ts";

/** A deposit on a card that is pending, or has cleared. */
export interface DepositNotice {
  readonly transIdSc: string;
  /** The TransId_SC of the notification that the deposit is pending, if there was one. */
  readonly original?: string | undefined;
  readonly card: Pick<CardIdentity, "programId" | "cardId" | "cardToken" | "cardholderId" | "currency">;
  readonly isCleared: boolean;
  readonly depositId: string;
  readonly amountMinor: number;
  readonly channel: "bank" | "crypto";
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly txHash?: string | undefined;
  /** When it came to be pending or cleared, ISO 8601. */
  readonly at: string;
}

/** A DEPOSIT: the amount in the card's currency. */
export function renderDeposit(notice: DepositNotice): Notification {
  const { transIdSc, original: pendingId, card, isCleared, depositId, amountMinor, channel } = notice;
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
    cdcEvent: isCleared ? "DEPOSIT_CLEARED" : "DEPOSIT_PENDING",
    payload: { ...texts, amount: decimalNumber(amountMinor) },
  };
  const data: DepositData = {
    ...texts,
    amount: decimalText(amountMinor),
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = envelopeOf(transIdSc, card, {
    original: pendingId,
    TransId_Issuer: String(traceNumber("settlement")),
    TransType: isCleared ? TransactionType.gpa_credit : TransactionType.gpa_credit_pending,
    TransResult: isCleared ? 12 : 11,
    TransAmount: amountMinor,
    TransMerchantName: "",
    TransDate: notice.at,
    data,
  });
  return notificationOf(
    card.programId,
    isCleared ? EventType.depositCleared : EventType.depositPending,
    envelope,
  );
}
