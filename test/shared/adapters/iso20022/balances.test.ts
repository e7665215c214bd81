import { expect, it } from "vitest";
import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import type { BankStatement } from "../../../../shared/contract/bank.ts";
import { account, amountOf, detailsOf, entryOfAmount, notificationOf, recordsIn } from "./camt.ts";

const balance = (type: string, amount: string, direction = "CRDT") =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd></Bal>`;
const statementOf = (...parts: string[]) =>
  notificationOf(account, ...parts)
    .replace("camt.054", "camt.053")
    .replaceAll("Ntfctn>", "Stmt>");
const page = (number: number, isLast: boolean) =>
  `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`;

/** The reasons of the records about balances. */
const told = (text: string) =>
  recordsIn(text).flatMap((one) => ("reason" in one && one.reason.startsWith("Bal") ? [one.reason] : []));

const credit = (amount: string) => entryOfAmount(amount);
const debit = (amount: string) => credit(amount).replace("CRDT", "DBIT");
const pending = (amount: string) => credit(amount).replace("BOOK", "PDNG");
const opened = balance("OPBD", "5.00", "DBIT");

it.each([
  ["by credits less debits", [opened, balance("CLBD", "5.00"), credit("12.00"), debit("2.00")]],
  ["without what is not booked", [opened, balance("CLBD", "7.00"), credit("12.00"), pending("3.00")]],
  ["from the closing of the one before", [balance("PRCD", "0.00"), balance("CLBD", "1.00"), credit("1.00")]],
  ["by an entry of nothing", [balance("OPBD", "1.00"), balance("CLBD", "1.00"), credit("0.00")]],
  ["on its only page", [page(1, true), balance("OPBD", "0"), balance("CLBD", "1.00"), credit("1.00")]],
])("a statement's entries lead from its opening balance to the closing one, %s", (_, parts) => {
  expect(told(statementOf(...parts))).toEqual([]);
  // Each is compared: with one more entry, they do not.
  expect(told(statementOf(...parts, credit("0.01")))).toHaveLength(1);
});

it.each([
  ["has one balance", [balance("CLBD", "5.00")]],
  ["has several of a type", [opened, opened, balance("CLBD", "5.00")]],
  ["is one page of several", [page(1, false), opened, balance("CLBD", "5.00")]],
  ["is the last page", [page(2, true), opened, balance("CLBD", "5.00")]],
  ["has an amount that cannot be read", [opened, balance("CLBD", "5.00"), credit("1,00")]],
  ["has an entry of another currency", [opened, balance("CLBD", "5.00"), credit("1").replace("USD", "EUR")]],
  ["has a balance that cannot be read", [opened, balance("CLBD", "5,00")]],
])("its balances say nothing of its entries where it %s", (_, parts) => {
  expect(told(statementOf(...parts))).toEqual([]);
});

it("the operator is told with the balances where an entry is missing, of each statement by itself", () => {
  const parts = [balance("OPBD", "5.00"), balance("CLBD", "25.00"), credit("12.00")];
  const whole = statementOf(...parts);
  const [one = ""] = /<Stmt>.*<\/Stmt>/s.exec(whole) ?? [];
  const other = one.replace(">25.00<", ">17.00<");
  const reason = "Bal: from 5.00 to 25.00 USD, but the entries come to 12.00. Compare them with the account.";
  expect(told(whole.replace(one, one + other))).toEqual([reason]);
});

/** What a statement says of the account, without its name and what is shown. */
function noted(text: string) {
  const found: BankStatement[] = [];
  iso20022.readFile(Buffer.from(text), (one) => found.push(one));
  return found.map(({ statement: _, input: __, made: ___, page: ____, ...said }) => said);
}

const dated = (type: string, amount: string, date: string, direction = "CRDT") =>
  balance(type, amount, direction).replace("</Bal>", `<Dt><Dt>${date}</Dt></Dt></Bal>`);
const interim = (one: string) =>
  one.replace("</Cd></CdOrPrtry>", "</Cd></CdOrPrtry><SubTp><Cd>INTM</Cd></SubTp>");
const begins = dated("OPBD", "5.00", "2026-11-23", "DBIT");
const ends = dated("CLBD", "7.00", "2026-11-24");
const opening = { date: "2026-11-23", amount: -500 };
const closing = { date: "2026-11-24", amount: 700 };

it.each([
  ["both", [begins, ends], { opening, closing }],
  [
    "a time",
    [begins, ends.replace("<Dt>2026-11-24</Dt>", "<DtTm>2026-11-24T23:59:59+01:00</DtTm>")],
    { opening, closing },
  ],
  ["PRCD", [begins.replace("OPBD", "PRCD"), ends], { opening, closing }],
  ["only the opening, of its first page", [page(1, false), begins, ends], { opening, closing: undefined }],
  ["only the closing, of its last page", [page(2, true), begins, ends], { opening: undefined, closing }],
  [
    "only the opening, before a balance between pages",
    [begins, interim(ends)],
    { opening, closing: undefined },
  ],
  ["only the closing, after one", [interim(begins), ends], { opening: undefined, closing }],
  [
    "only the day, of several closings",
    [begins, dated("CLBD", "1", "2026-11-23"), ends],
    { opening, closing: { date: closing.date } },
  ],
  [
    "only the day, of what is no amount",
    [begins, ends.replace("7.00", "7,00")],
    { opening, closing: { date: closing.date } },
  ],
])("a statement is followed by its balances: %s", (_, parts, balances) => {
  expect(noted(statementOf(...parts))).toEqual([{ account, currency: "USD", ...balances }]);
});

it.each([
  [1, false],
  [2, false],
  [2, true],
])("a whole statement is one also on page %i of a message with several (%s)", (number, isLast) => {
  const paged = page(number, isLast).replaceAll("StmtPgntn", "MsgPgntn");
  const text = statementOf(begins, ends).replace("</GrpHdr>", `${paged}</GrpHdr>`);
  expect(noted(text)).toEqual([{ account, currency: "USD", opening, closing }]);
});

it.each([
  ["has no balances", []],
  ["has no days of them", [opened, balance("CLBD", "7.00")]],
  ["is a notification", undefined],
])("nothing follows from what %s", (_, parts) => {
  expect(noted(parts ? statementOf(...parts) : notificationOf(account, credit("1.00")))).toEqual([]);
});

const ofMessage = (one: string) => one.replaceAll("StmtPgntn", "MsgPgntn");
const numbered = "<ElctrncSeqNb>7</ElctrncSeqNb>";
it.each([
  ["the first", page(1, false), [begins], { number: 1, isFirst: true, isLast: false }],
  ["one between", page(2, false), [numbered], { number: 2, isFirst: false, isLast: false }],
  ["with zeros", page(2, false).replace(">2<", ">00002<"), [], { number: 2, isFirst: false, isLast: false }],
  ["the last", page(3, true), [ends], { number: 3, isFirst: false, isLast: true }],
  ["its only one", page(1, true), [begins, ends], undefined],
  ["a message's, whole there", ofMessage(page(2, false)), [begins, ends], undefined],
  ["a message's", ofMessage(page(2, false)), [begins], { number: 2, isFirst: true, isLast: false }],
  ["a message's, ended", ofMessage(page(3, false)), [ends], { number: 3, isFirst: false, isLast: true }],
])("a statement says of which page it is: %s", (_, pages, parts, expected) => {
  const found: BankStatement[] = [];
  const isOfMessage = pages.includes("MsgPgntn");
  const text = statementOf(...(isOfMessage ? [] : [pages]), credit("1"), ...parts);
  const whole = isOfMessage ? text.replace("</GrpHdr>", `${pages}</GrpHdr>`) : text;
  iso20022.readFile(Buffer.from(whole), (one) => found.push(one));
  const names = [...(parts.includes(numbered) ? ["2026 7"] : []), "2026-11-23 N1"];
  const read = expected && { ...expected, names };
  expect(found).toMatchObject([{ account, currency: "USD", made: "2026-11-23" }]);
  expect(found[0]?.page).toEqual(read);
});

it("a statement that is sent again has its name, and another one has not", () => {
  const nameOf = (text: string) => {
    const found: BankStatement[] = [];
    iso20022.readFile(Buffer.from(text), (one) => found.push(one));
    return found[0]?.statement;
  };
  const text = statementOf(begins, ends);
  expect(nameOf(text.replace("<MsgId>M1", "<MsgId>M2"))).toBe(nameOf(text));
  const others = [text.replace("<Id>N1", "<Id>N2"), text.replace("2026-11-24", "2026-11-25")];
  for (const other of others) expect(nameOf(other)).not.toBe(nameOf(text));
});

const summed = (name: string, number: number | string) =>
  `<TxsSummry><${name}><NbOfNtries>${number}</NbOfNtries><Sum>1</Sum></${name}></TxsSummry>`;
const batch = (number: number) =>
  entryOfAmount("9", `<NtryDtls><Btch><NbOfTxs>${number}</NbOfTxs></Btch></NtryDtls>`);
const several = (...amounts: string[]) =>
  `<Ntry>${amountOf("9")}<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>${detailsOf(...amounts.map((one) => amountOf(one)))}</Ntry>`;

it.each([
  ["TtlNtries", [credit("1"), debit("2"), pending("3")]],
  ["TtlCdtNtries", [credit("1"), pending("2"), credit("3"), debit("4")]],
  ["TtlDbtNtries", [debit("1"), debit("2"), debit("3"), credit("4")]],
  ["TtlNtries", [several("4", "5"), credit("1")]],
  ["TtlNtries", [batch(2), credit("1")]],
])("the operator is told where %s has more entries than there are", (name, entries) => {
  for (const reportOf of [statementOf, (...parts: string[]) => notificationOf(account, ...parts)]) {
    const saidOf = (...parts: string[]) => {
      const found = [iso20022.readFile(Buffer.from(reportOf(...parts)))].flat();
      return found.flatMap((one) => ("reason" in one && one.reason.startsWith("Ttl") ? [one.reason] : []));
    };
    for (const number of ["1", "3", "none"]) expect(saidOf(summed(name, number), ...entries)).toEqual([]);
    const own = name === "TtlNtries" ? entries.length : 3;
    const told = `${name}: there are 4 entries, but ${own} in the file. Compare them with the account.`;
    expect(saidOf(summed(name, 4), ...entries)).toEqual([told]);
    expect(saidOf(page(1, false), summed(name, 4), ...entries)).toEqual([]);
  }
});

it.each([
  ["TtlNtries", "12.01", "12.00"],
  ["TtlCdtNtries", "6", "5.00"],
  ["TtlDbtNtries", "7.01", "7.00"],
])("the operator is told where %s is more money than its entries", (name, sum, there) => {
  const saidOf = (written: string, ...entries: string[]) => {
    const text = summed(name, 1).replace("<Sum>1", `<Sum>${written}`);
    return recordsIn(notificationOf(account, text, ...entries)).flatMap((one) =>
      "reason" in one && one.reason.startsWith("Ttl") ? [one.reason] : [],
    );
  };
  const told = `${name}: they are ${sum} USD, but ${there} in the file. Compare them with the account.`;
  expect(saidOf(sum, credit("5"), debit("7"))).toEqual([told]);
  for (const written of [there, "1", "no amount"])
    expect(saidOf(written, credit("5"), debit("7"))).toEqual([]);
  expect(saidOf(sum, credit("5"), debit("7"), credit("1").replace("USD", "EUR"))).toEqual([]);
});
