import {
  DepositData,
  DepositOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../../shared/contract/notifications.ts";
import { renderDeposit } from "../../../shared/deposits/deposit-change.ts";
import { renderHold, renderSettlement } from "../../../shared/notifications/card-notifications.ts";
import type { Notification } from "../../../shared/notifications/notification.ts";
import { depositFacts, holdFacts, settlementFacts } from "./facts.ts";

/** Parses the three layers with strict schemas. */
export function layers<D, O>(
  notification: Notification,
  Data: { parse(value: unknown): D & { OriginalDataFromSp: string } },
  Original: { parse(value: unknown): O },
) {
  const envelope = NotificationEnvelope.parse(JSON.parse(notification.body));
  const data = Data.parse(JSON.parse(envelope.SpData));
  return { envelope, data, original: Original.parse(JSON.parse(data.OriginalDataFromSp)) };
}

export const hold = (fields = {}) => layers(renderHold(holdFacts(fields)), HoldData, HoldOriginal);
export const settled = (...notice: Parameters<typeof settlementFacts>) =>
  layers(renderSettlement(settlementFacts(...notice)), SettlementData, SettlementOriginal);
export const deposit = (fields = {}) =>
  layers(renderDeposit(depositFacts(fields)), DepositData, DepositOriginal);

/** The members' JSON types: what a receiver in a typed language depends on. */
export const typesOf = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === null ? "null" : typeof member]),
  );
export const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "string"]));
export const numbers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "number"]));

export const envelopeTypes = {
  ...strings("TransId_SC", "OriginalTransId_SC", "TransId_Issuer", "CardId", "CardToken", "CardholderId"),
  ...strings("DateCreated", "TransMerchantName", "TransDate", "SpData"),
  ...numbers("TransType", "TransResult", "TransAmount"),
};
