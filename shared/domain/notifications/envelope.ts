import { Currency } from "../../contract/enums.ts";
import type { NotificationEnvelope } from "../../contract/notifications.ts";
import { timestamp } from "../../platform/clock.ts";
import { madeAt, randomInteger } from "../../platform/id.ts";

export interface NotifiedCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardToken: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  readonly maskedCardNumber: string;
}

type OwnFields = Pick<
  NotificationEnvelope,
  "TransType" | "TransResult" | "TransAmount" | "TransMerchantName" | "TransDate" | "TransId_Issuer"
> & { readonly original?: string | undefined; readonly data: object };

/** The envelope of a notification on a card. `data` becomes the second layer: a JSON-encoded string. */
export function renderEnvelope(
  transIdSc: string,
  card: Pick<NotifiedCard, "cardId" | "cardToken" | "cardholderId">,
  { original, data, TransId_Issuer, ...own }: OwnFields,
): NotificationEnvelope {
  return {
    TransId_SC: transIdSc,
    OriginalTransId_SC: original ?? "0",
    TransId_Issuer,
    CardId: card.cardId,
    CardToken: card.cardToken,
    CardholderId: card.cardholderId,
    DateCreated: timestamp(madeAt(transIdSc)),
    ...own,
    SpData: JSON.stringify(data),
  };
}

/** An amount as the flat layer has it: "12.34". */
export function decimalText(amountMinor: number): string {
  return decimalNumber(amountMinor).toFixed(2);
}

/** An amount as the payload has it: 12.34. */
export function decimalNumber(amountMinor: number): number {
  return amountMinor / 100;
}

/** The date and the time of day in UTC: `2026-07-09` and `070000`. */
export function dateAndTime(at: string): { date: string; time: string } {
  return { date: at.slice(0, 10), time: at.slice(11, 19).replaceAll(":", "") };
}

/** Six digits: even for holds, odd for settlements, so that they never share one. */
export function traceNumber(of: "hold" | "settlement"): number {
  return 2 * randomInteger(50_000, 500_000) + (of === "hold" ? 0 : 1);
}

export const currencyNames = {
  [Currency.usd]: "USD",
  [Currency.cad]: "CAD",
  [Currency.gbp]: "GBP",
  [Currency.eur]: "EUR",
} as const;
