import fc from "fast-check";
import { expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import type { BankRecord } from "../../../../shared/contract/bank.ts";
import { amountOf, detailsOf, entryOfAmount, notificationOf } from "./camt.ts";

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

const entry = fc
  .record({
    total: fc.integer({ min: 1, max: 100 }),
    details: fc.array(detail, { maxLength: 4 }),
    payments: fc.constantFrom(0, 0, 0, 1, 2, 3),
    isDebit: fc.constantFrom(false, false, false, true),
  })
  .map(({ total, details, payments, isDebit }): Given => {
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
        const records = iso20022.readFile(Buffer.from(notificationOf("DE89370400440532013000", text)));
        if ("reason" in records) throw new Error(records.reason);
        const booked = bookedBy(records);
        if (booked.filter((amount) => amount > 0).length > 1) splits += 1;
        expect(booked.reduce((sum, amount) => sum + amount, 0)).toBe(isDebit ? 0 : total);
      }
      const whole = iso20022.readFile(
        Buffer.from(notificationOf("DE89370400440532013000", ...entries.map(({ text }) => text))),
      );
      if ("reason" in whole) throw new Error(whole.reason);
      const moved = entries.reduce((sum, { total, isDebit }) => sum + (isDebit ? 0 : total), 0);
      expect(bookedBy(whole).reduce((sum, amount) => sum + amount, 0)).toBe(moved);
    }),
    { numRuns: 2_000 },
  );
  // Otherwise it would hold also if nothing were ever divided.
  expect(splits).toBeGreaterThan(0);
});
