import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as z from "zod";
import { type OutboxEvent, RelayedEvent } from "../../contract/outbox.ts";

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
  JSON.stringify({
    notificationIds: ["ntf_01"],
    placedMinor: 0,
    card: {
      cardholderId: "chd_01",
      currency: 0,
      cardId: "crd_01",
      maskedCardNumber: "400000******",
      cardToken: "tok_01",
      programId: "prg_01",
    },
    fee: { feeId: "fee_01", feeType: 1 },
    transferId: "trf_01",
    sourceWalletId: "wal_01",
    destinationType: 1,
    destinationId: "crd_01",
    requestedAmountMinor: 0,
    transferredAmountMinor: 0,
    transaction: {
      merchantCountry: "",
      mcc: "",
      releasedMinor: 0,
      description: "",
      postDate: "2026-",
      merchantName: "",
      authorizationId: "",
      transId: "txn_01",
      transType: 3,
      transDate: "2026-",
      type: "DR",
      srcCurrency: "840",
      merchantCity: "",
      merchantId: "",
      referenceCode: "01",
      srcAmountMinor: 0,
      amountMinor: 0,
      transStatus: 3,
      createdAt: "2026-",
    },
  }),
);

/** The window covers the dictionary and a detail. Less memory is faster to set up. */
const options = { dictionary, windowBits: 11, memLevel: 2 };

export function packDetail(detail: OutboxEvent["detail"]): Uint8Array {
  return deflateRawSync(JSON.stringify(detail), options);
}

/** Undefined for anything else. A stream's record has bytes in base64. */
function unpack(packed: unknown): unknown {
  try {
    const bytes = typeof packed === "string" ? Buffer.from(packed, "base64") : (packed as Uint8Array);
    return JSON.parse(inflateRawSync(bytes, { dictionary }).toString("utf8"));
  } catch {
    return undefined;
  }
}
