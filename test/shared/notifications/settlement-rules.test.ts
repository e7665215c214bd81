import { describe, expect, it } from "vitest";
import { SettlementData, SettlementOriginal } from "../../../shared/contract/notifications.ts";
import { renderSettlement } from "../../../shared/notifications/card-notifications.ts";
import { atmFee, card, purchase, settlementFacts } from "./facts.ts";
import { layers, numbers, settled, strings, typesOf } from "./layers.ts";

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

  it.each([
    ["392", 1_500, "1500", 1_500],
    ["352", 7, "7", 7],
    ["414", 1_234, "1.234", 1.234],
    ["990", 12_345, "1.2345", 1.2345],
  ])("keeps the digits of currency %s", (srcCurrency, srcAmountMinor, text, number) => {
    const { data, original } = settled({ ...purchase, srcCurrency, srcAmountMinor });
    expect(data).toMatchObject({ srcAmount: text, srcCurrency });
    expect(original.payload.srcAmount).toBe(number);
  });

  it("has equal amounts if the currencies are equal, or the source amount is unknown", () => {
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
    [44, "CR", "CREDITVOUCHER", "O"],
    [45, "DR", "CREDITVOUCHER", "R"],
    [46, "DR", "CREDITVOUCHER", "R"],
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
    const notice = { ...settlementFacts(), card: { ...card, currency } };
    const { original } = layers(renderSettlement(notice), SettlementData, SettlementOriginal);
    expect(original.payload).toMatchObject({ currencyCode, currencyDesc });
  });

  it("shows a debt as a negative balance", () => {
    const notice = { ...settlementFacts(), balanceMinor: -5 };
    const { data, original } = layers(renderSettlement(notice), SettlementData, SettlementOriginal);
    expect([data.balance, original.payload.balance]).toEqual(["-0.05", -0.05]);
  });
});
