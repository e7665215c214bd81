import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
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
import { renderDeposit } from "../../../shared/deposits/card-deposit.ts";
import { renderHold } from "../../../shared/notifications/hold-notification.ts";
import { type Notification, packBody, unpackBody } from "../../../shared/notifications/notification.ts";
import { renderSettlement } from "../../../shared/notifications/settlement-notification.ts";
import { card, depositFacts, holdFacts, purchase, settlementFacts } from "./facts.ts";

/** Parses the three layers with strict schemas. */
function layers<D, O>(
  notification: Notification,
  Data: { parse(value: unknown): D & { OriginalDataFromSp: string } },
  Original: { parse(value: unknown): O },
) {
  const envelope = NotificationEnvelope.parse(JSON.parse(notification.body));
  const data = Data.parse(JSON.parse(envelope.SpData));
  return { envelope, data, original: Original.parse(JSON.parse(data.OriginalDataFromSp)) };
}

const hold = (fields = {}) => layers(renderHold(holdFacts(fields)), HoldData, HoldOriginal);
const settled = (...notice: Parameters<typeof settlementFacts>) =>
  layers(renderSettlement(settlementFacts(...notice)), SettlementData, SettlementOriginal);
const deposit = (fields = {}) => layers(renderDeposit(depositFacts(fields)), DepositData, DepositOriginal);

describe("every notification", () => {
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
  it("through a bank has no chain", () => {
    const fields = { channel: "bank", chain: undefined, asset: undefined, txHash: undefined };
    expect(deposit(fields).data).toMatchObject({ channel: "bank", chain: null, asset: null, txHash: null });
  });
});

describe("ACTTXN", () => {
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

const golden = new URL("golden/", import.meta.url);
const bodies = readdirSync(golden).map(
  (name) => [name, readFileSync(new URL(name, golden), "utf8")] as const,
);

describe("a packed body", () => {
  it.each(bodies)("of %s has less than 500 bytes, and unpacks to the same bytes", (_, body) => {
    const packed = packBody(body);
    expect(packed.length).toBeLessThan(500);
    expect(Buffer.from(unpackBody(packed)).equals(Buffer.from(body))).toBe(true);
  });

  it("that was changed is rejected", () => {
    const packed = Buffer.from(packBody("A purchase in Zürich"));
    packed[packed.length - 1] = (packed.at(-1) ?? 0) ^ 1;
    expect(() => unpackBody(packed)).toThrow();
  });
});
