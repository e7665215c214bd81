import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod";
import { type OutboxEvent, RelayedEvent } from "../../contract/outbox.ts";
import type { WriteAction } from "../table/transact.ts";

/** An outbox item, or any item that carries its commit's event, to the event. */
export const StoredEvent = z.preprocess(toEvent, RelayedEvent);

function toEvent(item: unknown): unknown {
  const { outbox, pk } = Object(item) as {
    readonly outbox?: { readonly detail: unknown };
    readonly pk: unknown;
  };
  if (!outbox) return item;
  const [programId] = String(pk).split("#");
  return { ...outbox, programId, detail: unpack(outbox.detail) };
}

/** Never changes: stored details are read with it. What it lacks only packs less well. */
const dictionary = Buffer.from(
  [
    '{"depositId":"dep_01","channel":"bank","transferId":"trf_01","transStatus":1,"sourceWalletId":"wlt_01",',
    '"destinationType":1,"destinationId":"crd_01","requestedAmountMinor":0,"transferredAmountMinor":0,',
    '"declineReason":"INSUFFICIENT_FUNDS","fee":{"feeId":"fee_01","feeType":1,"placedMinor":0,',
    '"notificationIds":["ntf_01"],"card":{"cardholderId":"chd_01","currency":0,"cardId":"crd_01",',
    '"maskedCardNumber":"400000******","cardToken":"tok_01","programId":"prg_01"},"transaction":{',
    '"merchantCountry":"","mcc":"","releasedMinor":0,"description":"","postDate":"2026-","merchantName":"",',
    '"authorizationId":"","transId":"txn_01","transType":3,"transDate":"2026-","type":"DR","type":"CR",',
    '"srcCurrency":"840","merchantCity":"","merchantId":"","referenceCode":"01","srcAmountMinor":0,',
    '"amountMinor":0,"transStatus":3,"createdAt":"2026-',
  ].join(""),
);

/** The window covers the dictionary and a detail. Less memory is faster to set up. */
const options = { dictionary, windowBits: 11, memLevel: 2 };

/** Their retries read them by their id. */
const readAgain = new Set<unknown>(["otp.challenged"]);

/** The writes of a commit, of which the first with one of these names carries the event, if any. */
export function withCarriedEvent(
  writes: readonly WriteAction[],
  carriers: ReadonlySet<string>,
): readonly WriteAction[] {
  const event = writes.find(({ name }) => name === "outbox");
  const carrier = writes.find(({ name }) => carriers.has(name));
  if (!event || !carrier || !("Put" in event && "Put" in carrier)) return writes;
  if (readAgain.has(event.Put.Item?.kind)) return writes;
  const { pk: _, sk: __, programId: ___, expiresAtSeconds: ____, detail, ...others } = { ...event.Put.Item };
  const outbox = { ...others, detail: packDetail(detail) };
  const Put = { ...carrier.Put, Item: { ...carrier.Put.Item, outbox } };
  return writes.flatMap((write) => (write === event ? [] : write === carrier ? { ...carrier, Put } : write));
}

export function packDetail(detail: OutboxEvent["detail"]): Uint8Array {
  return deflateSync(JSON.stringify(detail), options);
}

/** Undefined for anything else. A stream's record has bytes in base64. */
function unpack(packed: unknown): unknown {
  try {
    const bytes = typeof packed === "string" ? Buffer.from(packed, "base64") : (packed as Uint8Array);
    return JSON.parse(inflateSync(bytes, { dictionary }).toString("utf8"));
  } catch {
    return undefined;
  }
}
