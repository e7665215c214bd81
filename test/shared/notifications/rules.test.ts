import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderHold, renderSettlement } from "../../../shared/notifications/card-notifications.ts";
import { card, holdFacts, purchase, settlementFacts, transIdSc } from "./facts.ts";
import { deposit, envelopeTypes, hold, numbers, settled, strings, typesOf } from "./layers.ts";

describe("every notification", () => {
  it.each([
    ["HOLD", hold().envelope],
    ["ACTTXN", settled().envelope],
    ["DEPOSIT", deposit().envelope],
  ])("%s: has the envelope's fields, each of its JSON type", (_, envelope) => {
    expect(typesOf(envelope)).toEqual(envelopeTypes);
  });

  it("names the card and its Cardholder, and its own id and time", () => {
    for (const { envelope } of [hold(), settled(), deposit()]) {
      expect(envelope).toMatchObject({
        TransId_SC: transIdSc,
        OriginalTransId_SC: "0",
        CardId: card.cardId,
        CardToken: card.cardToken,
        CardholderId: card.cardholderId,
        DateCreated: "2026-07-09T07:05:09.123Z",
      });
    }
  });

  it.each([1, 10, 99, 100, 1_234, 1_005, 29, 57, 113, 99_999_999_999])(
    "TransAmount %i / 100 is payload.amount, which the flat layer has as a decimal string",
    (amountMinor) => {
      for (const { envelope, data, original } of [
        hold({ amountMinor }),
        settled({ ...purchase, amountMinor }),
        deposit({ amountMinor }),
      ]) {
        expect(envelope.TransAmount).toBe(amountMinor);
        expect(original.payload.amount).toBe(envelope.TransAmount / 100);
        if ("amount" in data) expect(data.amount).toBe((amountMinor / 100).toFixed(2));
      }
    },
  );

  it("is fixed by the SHA-256 of its bytes", () => {
    const { body, bodySha256 } = renderHold(holdFacts());
    expect(bodySha256).toBe(createHash("sha256").update(Buffer.from(body)).digest("hex"));
  });
});

describe("HOLD", () => {
  const texts = [
    "MsgType",
    "cif",
    "account",
    "transdate",
    "authId",
    "cardnum",
    "status",
    "currency",
    "hdate",
  ];
  const more = ["edate", "txncode", "txnExtDesc", "txnIntDesc", "statusId"];
  const varying = ["trace", "txntype", "msgtype", "amount", "htime", "etime"];

  it("has strings in the flat layer, and in the payload numbers where the table says so", () => {
    const { data, original } = hold();
    expect(typesOf(data)).toEqual(strings(...texts, ...more, ...varying, "OriginalDataFromSp"));
    expect(typesOf(original.payload)).toEqual({ ...strings(...texts, ...more), ...numbers(...varying) });
  });

  it("repeats the flat fields in the payload", () => {
    const { data, original } = hold();
    for (const name of [...texts, ...more]) {
      expect(original.payload[name as "cif"], name).toBe(data[name as "cif"]);
    }
    for (const name of varying) {
      expect(original.payload[name as "trace"], name).toBe(Number(data[name as "trace"]));
    }
  });

  it("is TransResult 1, without a merchant's name and without a source amount", () => {
    const { envelope } = hold();
    expect(envelope).toMatchObject({ TransResult: 1, TransType: 1, TransMerchantName: "" });
    expect(renderHold(holdFacts()).body).not.toMatch(/srcAmount|srcCurrency|referenceCode/);
  });

  it("says when it was placed, and a day later as the window's end", () => {
    const { data } = hold();
    expect(data).toMatchObject({
      hdate: "2026-07-09",
      htime: "070509",
      edate: "2026-07-10",
      etime: "070509",
      currency: "840",
      cardnum: "400000******1234",
    });
  });

  it("has its own trace and authId, never a settlement's", () => {
    const holds = Array.from({ length: 300 }, () => hold());
    const settlements = Array.from({ length: 300 }, () => settled());
    const held = new Set(holds.map(({ data }) => data.trace));
    expect(settlements.some(({ data }) => held.has(data.trace))).toBe(false);
    expect(renderSettlement(settlementFacts()).body).not.toContain("authId");
    for (const { envelope, data } of [...holds, ...settlements])
      expect(envelope.TransId_Issuer).toBe(data.trace);
  });
});

describe("DEPOSIT", () => {
  it("has strings in the flat layer, and a number for the amount in the payload", () => {
    const { data, original } = deposit();
    const texts = strings("MsgType", "depositId", "channel", "chain", "asset", "txHash", "currencyCode");
    expect(typesOf(data)).toEqual({ ...texts, ...strings("amount", "OriginalDataFromSp") });
    expect(typesOf(original.payload)).toEqual({ ...texts, ...numbers("amount") });
  });

  it("pending is 24 and 11, cleared 18 and 12 with the pending's id", () => {
    const pending = deposit();
    expect(pending.envelope).toMatchObject({ TransType: 24, TransResult: 11, TransMerchantName: "" });
    expect(pending.original.cdcEvent).toBe("DEPOSIT_PENDING");
    const cleared = deposit({ status: 1, original: "ntf_PENDING" });
    expect(cleared.envelope).toMatchObject({
      TransType: 18,
      TransResult: 12,
      OriginalTransId_SC: "ntf_PENDING",
    });
    expect(cleared.original.cdcEvent).toBe("DEPOSIT_CLEARED");
  });

  it("through a bank has no chain", () => {
    const fields = { channel: "bank", chain: undefined, asset: undefined, txHash: undefined };
    expect(deposit(fields).data).toMatchObject({ channel: "bank", chain: null, asset: null, txHash: null });
  });
});
