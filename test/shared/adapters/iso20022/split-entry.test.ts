import { describe, expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import { amountOf, detailsOf, entryOfAmount, notificationOf } from "./camt.ts";

const credit = "<CdtDbtInd>CRDT</CdtDbtInd>";
const debit = "<CdtDbtInd>DBIT</CdtDbtInd>";
const other = (name: string, amount: string, currency = "USD") =>
  `<AmtDtls><${name}>${amountOf(amount, currency)}</${name}></AmtDtls>`;
const charge = (amount: string, indicator = debit) =>
  `<Chrgs><Rcrd>${amountOf(amount)}${indicator}</Rcrd></Chrgs>`;
const batch = (count: number, ...details: string[]) =>
  detailsOf(...details).replace("<NtryDtls>", `<NtryDtls><Btch><NbOfTxs>${count}</NbOfTxs></Btch>`);

/** What is booked, and what waits for the operator. */
const read = (amount: string, ...parts: string[]) => {
  const found = iso20022.readFile(
    Buffer.from(notificationOf("DE89370400440532013000", entryOfAmount(amount, ...parts))),
  );
  if ("reason" in found) throw new Error(found.reason);
  return found.map((one) => {
    if (!("event" in one) || one.event.kind !== "deposited") return one;
    return one.event.suspend === undefined ? one.event.amount : { suspended: one.event.amount };
  });
};

describe("the details of an entry explain what moved on the account", () => {
  it.each([
    ["their amounts", "30.00", [amountOf("10.00"), amountOf("20.00")], [1000, 2000]],
    ["what was instructed", "30.00", [other("InstdAmt", "10"), other("InstdAmt", "20")], [1000, 2000]],
    ["the transaction's, of version 02", "30.00", [other("TxAmt", "10"), other("TxAmt", "20")], [1000, 2000]],
    ["different ones", "30.00", [amountOf("10"), other("CntrValAmt", "20")], [1000, 2000]],
    [
      "the account's, beside foreign ones",
      "30.00",
      [amountOf("9", "EUR") + other("TxAmt", "10"), amountOf("18", "EUR") + other("TxAmt", "20")],
      [1000, 2000],
    ],
    [
      "what charges leave of them",
      "27.00",
      [amountOf("10") + charge("1.00"), amountOf("20") + charge("2.00")],
      [900, 1800],
    ],
    [
      "the charges of version 02",
      "27.00",
      [
        `${amountOf("10")}<Chrgs>${amountOf("1")}${debit}</Chrgs>`,
        `${amountOf("20")}<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">2</TtlChrgsAndTaxAmt></Chrgs>`,
      ],
      [900, 1800],
    ],
  ])("by %s", (_, amount, details, minor) => {
    expect(read(amount, detailsOf(...details))).toEqual(minor);
  });

  it.each([
    ["nothing", ""],
    ["the amount", amountOf("95.00") + credit],
    ["charges", amountOf("100.00") + charge("5.00")],
    ["charges that come back", amountOf("90.00") + charge("5.00", credit)],
    ["an amount in another currency", amountOf("80.00", "EUR")],
    ["one of several amounts", amountOf("100.00") + other("AnncdPstngAmt", "95.00")],
  ])("of one payment, %s", (_, detail) => {
    expect(read("95.00", detailsOf(detail))).toEqual([9500]);
  });

  it("of one payment, the charges of its entry", () => {
    expect(read("95.00", charge("5.00"), detailsOf(amountOf("100.00")))).toEqual([9500]);
  });
});

describe("an entry waits in suspense, whole, if its details", () => {
  it.each([
    ["are more than it", [amountOf("10.00"), amountOf("200.00")]],
    ["are less than it", [amountOf("10.00"), amountOf("10.00")]],
    ["have no amount", [amountOf("10.00"), ""]],
    ["have one that is no amount", [amountOf("30.00"), amountOf("-0.01")]],
    ["are in another currency", [amountOf("10.00", "EUR"), amountOf("20.00", "EUR")]],
    ["have both directions", [amountOf("40.00") + credit, amountOf("10.00") + debit]],
    ["are debits", [amountOf("10.00") + debit, amountOf("20.00") + debit]],
    ["are one debit", [amountOf("30.00") + debit]],
    ["are one with another amount", [amountOf("200.00")]],
  ])("%s", (_, details) => {
    expect(read("30.00", detailsOf(...details))).toEqual([{ suspended: 3000 }]);
  });

  it("are fewer than the payments of its batch", () => {
    expect(read("30.00", batch(2))).toEqual([{ suspended: 3000 }]);
    expect(read("30.00", batch(2, amountOf("30.00")))).toEqual([{ suspended: 3000 }]);
    expect(read("30.00", batch(2, amountOf("10.00"), amountOf("20.00")))).toEqual([1000, 2000]);
    expect(read("30.00", batch(1))).toEqual([3000]);
  });

  it("have payments of nothing: only those are refused", () => {
    expect(read("30.00", detailsOf(amountOf("30.00"), amountOf("0.00")))).toMatchObject([
      3000,
      { reason: "Amt is not allowed: 0." },
    ]);
  });
});
