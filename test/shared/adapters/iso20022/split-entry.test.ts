import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BankRecord } from "../../../../shared/contract/bank.ts";
import { account, amountOf, detailsOf, entryOfAmount, notificationOf, recordsIn } from "./camt.ts";

const credit = "<CdtDbtInd>CRDT</CdtDbtInd>";
const debit = "<CdtDbtInd>DBIT</CdtDbtInd>";
const other = (name: string, amount: string, currency = "USD") =>
  `<AmtDtls><${name}>${amountOf(amount, currency)}</${name}></AmtDtls>`;
const charge = (amount: string, indicator = debit) =>
  `<Chrgs><Rcrd>${amountOf(amount)}${indicator}</Rcrd></Chrgs>`;
const batch = (count: number, ...details: string[]) =>
  detailsOf(...details).replace("<NtryDtls>", `<NtryDtls><Btch><NbOfTxs>${count}</NbOfTxs></Btch>`);

/** What is booked, and what waits for the operator. */
const read = (amount: string, ...parts: string[]) =>
  recordsIn(notificationOf(account, entryOfAmount(amount, ...parts))).map((one) => {
    if (!("event" in one) || one.event.kind !== "deposited") return one;
    return one.event.suspend === undefined ? one.event.amount : { suspended: one.event.amount };
  });

const foreign = [amountOf("9", "EUR") + other("TxAmt", "10"), amountOf("18", "EUR") + other("TxAmt", "20")];
const charged = [amountOf("10") + charge("1.00"), amountOf("20") + charge("2.00")];
const chargedInVersion02 = [
  `${amountOf("10")}<Chrgs>${amountOf("1")}${debit}</Chrgs>`,
  `${amountOf("20")}<Chrgs><TtlChrgsAndTaxAmt Ccy="USD">2</TtlChrgsAndTaxAmt></Chrgs>`,
];

describe("the details of an entry explain what moved on the account", () => {
  it.each([
    ["their amounts", "30.00", [amountOf("10.00"), amountOf("20.00")], [1000, 2000]],
    ["what was instructed", "30.00", [other("InstdAmt", "10"), other("InstdAmt", "20")], [1000, 2000]],
    ["the transaction's, of version 02", "30.00", [other("TxAmt", "10"), other("TxAmt", "20")], [1000, 2000]],
    ["different ones", "30.00", [amountOf("10"), other("CntrValAmt", "20")], [1000, 2000]],
    ["the account's, beside foreign ones", "30.00", foreign, [1000, 2000]],
    ["what charges leave of them", "27.00", charged, [900, 1800]],
    ["the charges of version 02", "27.00", chargedInVersion02, [900, 1800]],
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
      { reason: "Amt is not allowed: 0.", money: { amount: 0 } },
    ]);
  });
});

describe("one payment among several", () => {
  const others = [amountOf("10.00"), amountOf("15.00")];
  const refused = { reason: expect.stringContaining("RvslInd") };
  it.each([
    ["that comes back leaves the others", "<RtrInf/>", [{ suspended: 500 }, 1000, 1500]],
    ["of a debit that is taken back, too", "<RvslInd>true</RvslInd>", [refused, 1000, 1500]],
  ])("%s", (_, back, records) => {
    expect(read("30.00", detailsOf(amountOf("5.00") + back, ...others))).toMatchObject(records);
  });

  it("that a debit gives back is a return, and the others are debits", () => {
    const entry = entryOfAmount("30.00", detailsOf(`${amountOf("5.00")}<RtrInf/>`, ...others));
    expect(recordsIn(notificationOf(account, entry.replace("CRDT", "DBIT")))).toMatchObject([
      { event: { kind: "returned", amount: 500 } },
      { ordered: { kind: "debited", amount: 1000 } },
      { ordered: { kind: "debited", amount: 1500 } },
    ]);
  });
});

describe("what says that a payment comes back", () => {
  const code = (name: string) =>
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>${name}</SubFmlyCd></Fmly></Domn></BkTxCd>`;
  it.each(["RRTN", "RPCR", "ARET", "AREV", "UPDD", "PRDD", "RCDD"])(
    "is also the code %s, of the entry or of its payment",
    (name) => {
      for (const parts of [
        [code(name), detailsOf(amountOf("5.00"))],
        [detailsOf(amountOf("5.00") + code(name))],
        [code(name)],
      ]) {
        expect(read("5.00", ...parts)).toEqual([{ suspended: 500 }]);
        const debited = notificationOf(account, entryOfAmount("5.00", ...parts).replace("CRDT", "DBIT"));
        expect(recordsIn(debited)).toMatchObject([{ event: { kind: "returned", amount: 500 } }]);
      }
      expect(read("5.00", code("ESCT"))).toEqual([500]);
    },
  );

  it.each(["TRUE", "True", "1", "Y"])("that the bank takes back a debit is written %s, too", (written) => {
    const records = read("5.00", detailsOf(amountOf("5.00")), `<RvslInd>${written}</RvslInd>`);
    expect(records).toMatchObject([{ reason: expect.stringContaining("RvslInd") }]);
  });
});

it("an entry of thousands of payments takes a time that grows with their number alone", () => {
  const payments = Array.from({ length: 6_000 }, (_, index) =>
    detailsOf(`<Refs><EndToEndId>E${index}</EndToEndId></Refs>${amountOf("1.00")}`),
  );
  const before = process.cpuUsage();
  expect(read("6000.00", ...payments)).toHaveLength(6_000);
  const { user } = process.cpuUsage(before);
  // Where each looks at all the others, it is a quarter of a minute.
  expect(user / 1_000_000).toBeLessThan(5);
});

const minor = fc.integer({ min: 0, max: 50 });
const currency = fc.constantFrom("USD", "USD", "USD", "EUR");
const direction = fc.constantFrom("", "", "", "<CdtDbtInd>CRDT</CdtDbtInd>", "<CdtDbtInd>DBIT</CdtDbtInd>");
const money = fc.tuple(minor, currency).map(([one, name]) => amountOf((one / 100).toFixed(2), name));
const of = (...names: string[]) =>
  fc.tuple(fc.constantFrom(...names), money).map(([name, amount]) => `<${name}>${amount}</${name}>`);
const instructed = of("InstdAmt", "TxAmt", "CntrValAmt").map((one) => `<AmtDtls>${one}</AmtDtls>`);
const charges = fc.tuple(money, direction).map((parts) => `<Chrgs><Rcrd>${parts.join("")}</Rcrd></Chrgs>`);
const absent = fc.constant("");
const part = fc.oneof(absent, money, instructed);
const detail = fc
  .tuple(fc.oneof(money, part), direction, part, fc.oneof(absent, absent, charges))
  .map((parts) => parts.join(""));

interface Given {
  readonly total: number;
  readonly isDebit: boolean;
  readonly text: string;
}

const anyDetails = fc.record({
  total: fc.integer({ min: 1, max: 100 }),
  details: fc.array(detail, { maxLength: 4 }),
});
const partsOfTotal = fc
  .array(fc.integer({ min: 1, max: 30 }), { minLength: 2, maxLength: 3 })
  .map((parts) => ({
    total: parts.reduce((sum, part) => sum + part, 0),
    details: parts.map((part) => amountOf((part / 100).toFixed(2))),
  }));

const entry = fc
  .record({
    given: fc.oneof(anyDetails, anyDetails, partsOfTotal),
    payments: fc.constantFrom(0, 0, 0, 1, 2, 3),
    isDebit: fc.constantFrom(false, false, false, true),
  })
  .map(({ given: { total, details }, payments, isDebit }): Given => {
    const batch = payments > 0 ? `<NtryDtls><Btch><NbOfTxs>${payments}</NbOfTxs></Btch></NtryDtls>` : "";
    const text = entryOfAmount((total / 100).toFixed(2), batch, detailsOf(...details));
    return { total, isDebit, text: isDebit ? text.replace("CRDT", "DBIT") : text };
  });

const bookedBy = (records: readonly BankRecord[]) =>
  records.map((one) => ("event" in one && one.event.kind === "deposited" ? (one.event.amount ?? 0) : 0));

it("books exactly what moved, whatever the details of entries say", () => {
  let splits = 0;
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 3 }), (entries) => {
      for (const { total, isDebit, text } of entries) {
        const records = recordsIn(notificationOf(account, text));
        const booked = bookedBy(records);
        if (booked.filter((amount) => amount > 0).length > 1) splits += 1;
        expect(booked.reduce((sum, amount) => sum + amount, 0)).toBe(isDebit ? 0 : total);
        // Also what is refused of it: the file's sums count it so.
        expect(records.reduce((sum, { money }) => sum + (money?.amount ?? 0), 0)).toBe(total);
      }
      const whole = recordsIn(notificationOf(account, ...entries.map(({ text }) => text)));
      const moved = entries.reduce((sum, { total, isDebit }) => sum + (isDebit ? 0 : total), 0);
      expect(bookedBy(whole).reduce((sum, amount) => sum + amount, 0)).toBe(moved);
    }),
    { numRuns: 400 },
  );
  // Otherwise it would hold also if nothing were ever divided.
  expect(splits).toBeGreaterThan(0);
});
