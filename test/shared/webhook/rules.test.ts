import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  DepositData,
  DepositOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../../shared/contract/notifications.ts";
import type { Notification } from "../../../shared/webhook/notification.ts";
import { renderDeposit } from "../../../shared/webhook/render-deposit.ts";
import { renderHold } from "../../../shared/webhook/render-hold.ts";
import { renderSettlement } from "../../../shared/webhook/render-settlement.ts";
import { atmFee, card, depositNotice, holdNotice, purchase, settlementNotice, transIdSc } from "./notices.ts";

/** The three layers, parsed one after the other as a receiver does, and held to their schemas: no field more, none less, each of its type. */
function layers<D, O>(
  notification: Notification,
  Data: { parse(value: unknown): D & { OriginalDataFromSp: string } },
  Original: { parse(value: unknown): O },
) {
  const envelope = NotificationEnvelope.parse(JSON.parse(notification.body));
  const data = Data.parse(JSON.parse(envelope.SpData));
  return { envelope, data, original: Original.parse(JSON.parse(data.OriginalDataFromSp)) };
}

const hold = (fields = {}) => layers(renderHold(holdNotice(fields)), HoldData, HoldOriginal);
const settled = (...notice: Parameters<typeof settlementNotice>) =>
  layers(renderSettlement(settlementNotice(...notice)), SettlementData, SettlementOriginal);
const deposit = (fields = {}) => layers(renderDeposit(depositNotice(fields)), DepositData, DepositOriginal);

/** The members' JSON types: what a receiver in a typed language depends on. */
const typesOf = (value: object) =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, member === null ? "null" : typeof member]),
  );
const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "string"]));
const numbers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, "number"]));

const envelopeTypes = {
  ...strings("TransId_SC", "OriginalTransId_SC", "TransId_Issuer", "CardId", "CardToken", "CardholderId"),
  ...strings("DateCreated", "TransMerchantName", "TransDate", "SpData"),
  ...numbers("TransType", "TransResult", "TransAmount"),
};

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
    const { body, bodySha256 } = renderHold(holdNotice());
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
    expect(renderHold(holdNotice()).body).not.toMatch(/srcAmount|srcCurrency|referenceCode/);
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

  it("draws a trace and an authId of its own, never a settlement's", () => {
    const holds = Array.from({ length: 300 }, () => hold());
    const settlements = Array.from({ length: 300 }, () => settled());
    const held = new Set(holds.map(({ data }) => data.trace));
    expect(settlements.some(({ data }) => held.has(data.trace))).toBe(false);
    expect(renderSettlement(settlementNotice()).body).not.toContain("authId");
    for (const { envelope, data } of [...holds, ...settlements])
      expect(envelope.TransId_Issuer).toBe(data.trace);
  });
});

describe("ACTTXN", () => {
  const texts = [
    "MsgType",
    "txndate",
    "txntime",
    "postdate",
    "postime",
    "description",
    "merchantId",
    "txncode",
  ];
  const more = [
    "merchantCity",
    "merchantCountry",
    "mcc",
    "referenceCode",
    "txntimestamp",
    "acctCif",
    "source",
  ];
  const last = ["srcCurrency"];
  const nulls = { term_id: "null", txnMemo: "null" };
  const varying = ["unique_row_id", "transactionStatus", "balance", "srcAmount", "trace"];
  const nestedTexts = ["merchantName", "type", "txnGroup", "currencyCode", "currencyDesc", "org_or_rev"];
  const nestedMore = ["rec_status", "transactionStatusName", "cardnum", "acctnum"];

  it("has strings in the flat layer, and in the payload numbers where the table says so", () => {
    const { data, original } = settled();
    expect(typesOf(data)).toEqual({
      ...strings(...texts, ...more, ...last, ...varying, "OriginalDataFromSp"),
      ...nulls,
    });
    expect(typesOf(original.payload)).toEqual({
      ...strings(...texts, ...more, ...last, ...nestedTexts, ...nestedMore),
      ...numbers(...varying, "amount", "points"),
      ...nulls,
      poieligible: "boolean",
    });
  });

  it("repeats the flat fields in the payload", () => {
    const { data, original } = settled();
    for (const name of [...texts, ...more, ...last]) {
      expect(original.payload[name as "mcc"], name).toBe(data[name as "mcc"]);
    }
    for (const name of varying) {
      expect(original.payload[name as "trace"], name).toBe(Number(data[name as "trace"]));
    }
  });

  it("is TransResult 3, with the merchant's name, the posted amount and the balance after it", () => {
    const { envelope, data, original } = settled();
    expect(envelope).toMatchObject({ TransResult: 3, TransType: 3, TransMerchantName: "Café Zürich" });
    expect(data).toMatchObject({
      balance: "87.50",
      txndate: "2026-07-09",
      postdate: "2026-07-10",
      postime: "080000",
    });
    expect(original.payload).toMatchObject({
      merchantName: "Café Zürich",
      balance: 87.5,
      type: "DR",
      txnGroup: "PURCHASE",
      currencyCode: "840",
      currencyDesc: "USD",
      org_or_rev: "O",
      transactionStatusName: "POSTED",
    });
    expect(data.unique_row_id).not.toBe(envelope.TransId_SC);
  });

  it("has FX data where the currencies differ", () => {
    expect(settled().data).toMatchObject({ srcAmount: "11.20", srcCurrency: "978" });
  });

  it("has equal amounts where the currencies are equal, and where the source amount was not told", () => {
    for (const source of [
      { srcAmountMinor: 12_50, srcCurrency: "840" },
      { srcAmountMinor: undefined, srcCurrency: "978" },
      { srcAmountMinor: undefined, srcCurrency: undefined },
    ]) {
      const { data, original } = settled({ ...purchase, ...source });
      expect(data).toMatchObject({ srcAmount: "12.50", srcCurrency: original.payload.currencyCode });
      expect(original.payload.srcAmount).toBe(original.payload.amount);
    }
  });

  it("has the source amount 0 with an ATM's fee, and code, group and description of the pair", () => {
    const fee = settled(atmFee);
    expect(fee.envelope.OriginalTransId_SC).toBe("0");
    expect(fee.data).toMatchObject({
      srcAmount: "0.00",
      txncode: "113",
      description: "Foreign Cash Adv Fee",
    });
    expect(fee.original.payload.txnGroup).toBe("FEES");
    const withdrawal = settled({ ...purchase, transType: 36 }, "ntf_PARENT");
    expect(withdrawal.envelope.OriginalTransId_SC).toBe("ntf_PARENT");
    expect(withdrawal.data.txncode).toBe("302");
    expect(withdrawal.original.payload.txnGroup).toBe("CASHADVANCE");
  });

  it.each([
    [54, "CR", "CREDITVOUCHER", "O"],
    [84, "DR", "CREDITVOUCHER", "R"],
    [17, "CR", "FEES", "R"],
    [6, "CR", "CREDITVOUCHER", "O"],
    [8, "DR", "CREDITVOUCHER", "R"],
    [80, "CR", "PAYMENT", "O"],
  ] as const)("of the type %i is %s, %s, %s", (transType, type, txnGroup, org_or_rev) => {
    const { payload } = settled({ ...purchase, transType, type }).original;
    expect(payload).toMatchObject({ type, txnGroup, org_or_rev });
  });

  it.each([
    [0, "840", "USD"],
    [1, "124", "CAD"],
    [2, "826", "GBP"],
    [3, "978", "EUR"],
  ] as const)("of a card in the currency %i has the code %s", (currency, currencyCode, currencyDesc) => {
    const notice = { ...settlementNotice(), card: { ...card, currency } };
    const { original } = layers(renderSettlement(notice), SettlementData, SettlementOriginal);
    expect(original.payload).toMatchObject({ currencyCode, currencyDesc });
  });

  it("shows a debt as a negative balance", () => {
    const notice = { ...settlementNotice(), balanceMinor: -5 };
    const { data, original } = layers(renderSettlement(notice), SettlementData, SettlementOriginal);
    expect([data.balance, original.payload.balance]).toEqual(["-0.05", -0.05]);
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
    const cleared = deposit({ isCleared: true, original: "ntf_PENDING" });
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
