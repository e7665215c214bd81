import { describe, expect, it } from "vitest";
import { makeIban } from "../../../../infra/development/iban.ts";
import { CardStatus, DepositStatus, SuspenseStatus } from "../../../../shared/contract/enums.ts";
import { suspenseItems } from "../../../../shared/deposits/suspense.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { sha256 } from "../../../../shared/platform/sha256.ts";
import { operate } from "../../../harness/administration.ts";
import { injectFaults } from "../../../harness/faults.ts";
import { givenStoredCard } from "../../../harness/given-stored.ts";
import { storedEvents } from "../../../harness/stored.ts";
import { givenBank, statusOf } from "./given-bank.ts";

describe("a deposit that a bank reports", () => {
  it("credits the Wallet or Card whose id is a word of the text, in any case", async () => {
    const { programId, wallet, arrived, report, availableIn, depositOf, bankReference } = await givenBank();
    expect(await report(arrived())).toEqual({ status: "applied", programId });
    expect(await depositOf()).toMatchObject({
      status: DepositStatus.cleared,
      reference: wallet,
      channel: "bank",
    });
    const card = await givenStoredCard(programId, CardStatus.active);
    const remittance = ["no id", `RENT/${card.toUpperCase()}, MAY`];
    const other = `${bankReference}-2`;
    expect(statusOf(await report(arrived({ bankReference: other, remittance })))).toBe("applied");
    expect((await depositOf(other)).reference).toBe(card.toUpperCase());
    expect([await availableIn(wallet), await availableIn(card)]).toEqual([1250, 1250]);
  });

  it("is one deposit, by whichever report it comes, and a repeated report has its first outcome", async () => {
    const { wallet, arrived, report, announce, availableIn, depositOf, programId, bankReference } =
      await givenBank();
    const outcomes = await Promise.all([1, 2, 3, 4].map((origin) => report(arrived(), `file#${origin}`)));
    expect(outcomes.map(statusOf).toSorted()).toEqual(["applied", "duplicate", "duplicate", "duplicate"]);
    const first = outcomes.findIndex(({ status }) => status === "applied") + 1;
    expect(statusOf(await report(arrived(), `file#${first}`))).toBe("applied");
    expect(statusOf(await announce())).toBe("duplicate");
    expect(await announce({ amount: 9 })).toEqual({ status: "suspense", programId });
    const [item] = (await operate("list-suspense", { programId })).items;
    const { depositId: duplicateOf } = await depositOf();
    expect(item).toMatchObject({ reason: "POSSIBLE_DUPLICATE", amount: 9, duplicateOf });
    expect(await availableIn(wallet)).toBe(1250);
    const elsewhere = await givenBank();
    expect(statusOf(await elsewhere.report(elsewhere.arrived({ bankReference })))).toBe("applied");
  });

  it.each([
    ["names no Wallet or Card", () => ["a word"], {}, "ACCOUNT_UNKNOWN"],
    ["has no text", () => [], {}, "ACCOUNT_UNKNOWN"],
    ["has an id with another character", (wallet: string) => [wallet.slice(0, -2)], {}, "ACCOUNT_UNKNOWN"],
    ["names another Program's Wallet", () => [newId("wallet")], {}, "ACCOUNT_UNKNOWN"],
    ["is in another currency", (wallet: string) => [wallet], { currency: "EUR" }, "CURRENCY_MISMATCH"],
  ])("goes to suspense where it %s, and can be returned from there", async (_, textsOf, more, reason) => {
    const { programId, wallet, arrived, returned, report, depositOf, availableIn } = await givenBank();
    const remittance = textsOf(wallet);
    expect(await report(arrived({ remittance, ...more }))).toEqual({ status: "suspense", programId });
    const { depositId } = await depositOf();
    const item = await suspenseItems.at(programId, depositId).get();
    expect(item).toMatchObject({ reason, status: SuspenseStatus.cleared, channel: "bank" });
    const [event] = await storedEvents(programId);
    const accountId = reason === "ACCOUNT_UNKNOWN" ? undefined : wallet;
    expect(event).toMatchObject({ kind: "deposit.suspended", detail: { reason } });
    expect(event?.detail.accountId).toBe(accountId);
    expect(statusOf(await report(returned()))).toBe("applied");
    expect((await suspenseItems.at(programId, depositId).get())?.status).toBe(SuspenseStatus.returned);
    expect(await availableIn(wallet)).toBe(0);
  });

  it("looks at no return that waits under its payer's name and can be of no such deposit", async () => {
    const { arrived, returned, report, depositOf } = await givenBank();
    const endToEndId = newId("event");
    const waits = (amount: number) =>
      report(returned({ endToEndId, amount, currency: "USD", bankReference: newId("event") }));
    for (let amount = 2_000; amount < 2_060; amount += 1)
      expect(statusOf(await waits(amount))).toBe("rejected");
    expect(statusOf(await report(returned({ endToEndId, amount: 1250, currency: "USD" })))).toBe("rejected");
    using faults = injectFaults(() => undefined);
    expect(statusOf(await report(arrived({ endToEndId })))).toBe("applied");
    expect(faults.calls.length).toBeLessThan(50);
    expect((await depositOf()).status).toBe(DepositStatus.returned);
  });

  it("goes to suspense for a closed Card", async () => {
    const { programId, arrived, report } = await givenBank();
    const card = await givenStoredCard(programId, CardStatus.closed);
    expect(statusOf(await report(arrived({ remittance: [card] })))).toBe("suspense");
  });

  it("is rejected on an account that no Program has", async () => {
    const { arrived, report } = await givenBank();
    const account = makeIban(newId("program"));
    expect(await report(arrived({ account }))).toEqual({
      status: "rejected",
      reason: `No Program collects on ${account}.`,
    });
  });

  it("is finished by the repetition of a report that was cut off", async () => {
    const { wallet, arrived, report, availableIn } = await givenBank();
    {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      await expect(report(arrived(), "file#1")).rejects.toThrow();
    }
    expect(statusOf(await report(arrived(), "file#1"))).toBe("applied");
    expect(await availableIn(wallet)).toBe(1250);
  });
});

/** A record of a camt.054. */
const record = (content: string, statement: string, entry: number, more: object = {}) => ({
  content: content.padEnd(64, "0"),
  place: { statement, entry },
  report: "camt.054",
  ...more,
});

/** As a report of a bank has it. */
const dayOf = (day: string) => sha256(day).slice(0, 16);
const atZone = (day: string) => ({ booked: dayOf(day), around: day });

describe("what identifies a payment", () => {
  it.each([{ amount: 9 }, { currency: "EUR" }, {}, { remittance: ["other"] }, { endToEndId: "e2" }])(
    "a reference that comes again with something else is a possible duplicate: %o",
    async (more) => {
      const { programId, arrived, report, availableIn, depositOf } = await givenBank();
      await report(arrived(record("a", "S1", 1)));
      const again = () => report(arrived({ ...record("b", "S2", 1), ...more }));
      expect([statusOf(await again()), statusOf(await again())]).toEqual(["suspense", "duplicate"]);
      expect(await availableIn()).toBe(1250);
      const [item] = (await operate("list-suspense", { programId })).items;
      const { depositId } = await depositOf();
      expect(item).toMatchObject({ reason: "POSSIBLE_DUPLICATE", duplicateOf: depositId });
      const suspenseId = item?.suspenseId ?? "";
      await operate("drop-suspense", { programId, suspenseId });
      await expect(operate("drop-suspense", { programId, suspenseId })).rejects.toThrow("not in suspense");
      expect((await operate("list-suspense", { programId })).items).toEqual([]);
      expect([statusOf(await again()), await availableIn()]).toEqual(["duplicate", 1250]);
    },
  );

  it("a UETR names one payment, though notification and statement have two references of the bank's", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const common = { references: { uetr: "u-1" }, facts: { debtor: "1" } };
    await report(arrived({ ...record("a", "N1", 1), ...common, bankReference: "A1" }));
    const statement = { ...record("b", "S1", 7), report: "camt.053", ...common, bankReference: "B7" };
    expect(statusOf(await report(arrived(statement)))).toBe("duplicate");
    expect(await availableIn()).toBe(1250);
  });

  it("a statement after its notification says less of the same payment", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const facts = { debtor: "1", text: "2" };
    await report(arrived({ ...record("a", "N1", 1), facts, endToEndId: "e1" }));
    const statement = (own: object) =>
      report(arrived({ ...record("b", "S1", 7), report: "camt.053", facts: own }));
    expect(statusOf(await statement({ debtor: "1", value: "3" }))).toBe("duplicate");
    const another = { ...record("c", "S2", 1), report: "camt.053", facts: { debtor: "9" } };
    expect(statusOf(await report(arrived(another)))).toBe("suspense");
    expect(await availableIn()).toBe(1250);
  });

  it.each([
    ["text", {}, "suspense", 1250],
    ["EndToEndId", { endToEndId: "e1" }, "suspense", 1250],
    ["day", { facts: { debtor: "1", booked: "other" } }, "applied", 2500],
    ["payer", { facts: { debtor: "9", booked: "day" } }, "applied", 2500],
    ["amount", { amount: 9 }, "applied", 1259],
  ])(
    "a credit without a reference comes again in its statement with another %s: %o, %s",
    async (_, statement, becomes, left) => {
      const { bankReference, arrived, report, availableIn } = await givenBank();
      const facts = { debtor: "1", booked: "day", text: "2" };
      await report(arrived({ ...record("a", "N1", 1), bankReference: undefined, facts }));
      const more = { report: "camt.053", bankReference, facts: { ...facts, text: "3" } };
      const told = { ...record("b", "S1", 7), ...more };
      const again = () => report(arrived({ ...told, ...statement }));
      expect([statusOf(await again()), statusOf(await again())]).toEqual([becomes, "duplicate"]);
      expect(await availableIn()).toBe(left);
    },
  );

  const facts = { debtor: "max muste", booked: dayOf("2026-11-24") };
  const noDay = { debtor: facts.debtor, around: "2026-11-24" };
  it.each([
    ["without a day", { facts: noDay }, { facts }, "suspense"],
    ["made days before it is booked", { facts: { around: "2026-11-19" } }, { facts }, "suspense"],
    ["made long before it is booked", { facts: { around: "2026-11-18" } }, { facts }, "applied"],
    ["made days after it is booked", { facts: { around: "2026-11-27" } }, { facts }, "suspense"],
    ["made long after it is booked", { facts: { around: "2026-11-28" } }, { facts }, "applied"],
    ["at a time of another zone", { facts: atZone("2026-11-23") }, { facts }, "suspense"],
    ["at a time of another day", { facts: atZone("2026-11-22") }, { facts }, "applied"],
    [
      "with the day of its value alone",
      { facts: { value: "v" } },
      { facts: { ...facts, value: "v" } },
      "suspense",
    ],
    [
      "with another day of its value",
      { facts: { ...facts, value: "v" } },
      { facts: { ...facts, value: "w" } },
      "suspense",
    ],
    [
      "with an EndToEndId in capitals",
      { endToEndId: "inv-7", facts },
      { endToEndId: "INV7", facts },
      "suspense",
    ],
    [
      "with an EndToEndId that is cut",
      { endToEndId: "INVOICE-2026-0007", facts },
      { endToEndId: "INVOICE-2026-0", facts },
      "suspense",
    ],
    [
      "with another short EndToEndId",
      { endToEndId: "INV71", facts },
      { endToEndId: "INV7", facts },
      "applied",
    ],
    [
      "with another MsgId",
      { references: { message: "a" }, facts },
      { references: { message: "b" }, facts },
      "suspense",
    ],
    [
      "with two references of the bank's",
      { bankReference: "A1", facts },
      { bankReference: "B7", facts },
      "suspense",
    ],
    [
      "with two references of the bank's, and one EndToEndId",
      { bankReference: "A1", references: { transaction: "A2" }, endToEndId: "e1", facts },
      { bankReference: "B7", references: { transaction: "B8" }, endToEndId: "e1", facts },
      "suspense",
    ],
    [
      "with another UETR, and one EndToEndId",
      { references: { uetr: "a" }, endToEndId: "e1", facts },
      { references: { uetr: "b" }, endToEndId: "e1", facts },
      "applied",
    ],
    [
      "with another TxId",
      { references: { transaction: "A2" }, facts },
      { references: { transaction: "B8" }, facts },
      "applied",
    ],
    ["with the payer's name in part", { facts }, { facts: { ...facts, debtor: "muste" } }, "suspense"],
  ])("a credit %s may be the one of its statement: %o, %o, %s", async (_, notified, told, becomes) => {
    for (const isFirst of [true, false]) {
      const { arrived, report, availableIn } = await givenBank();
      const own = [
        { ...record("a", "N1", 1), bankReference: undefined, ...notified },
        { ...record("b", "S1", 7), bankReference: undefined, report: "camt.053", ...told },
      ];
      const [one, other] = isFirst ? own : own.toReversed();
      await report(arrived(one));
      expect(statusOf(await report(arrived(other)))).toBe(becomes);
      expect(await availableIn()).toBe(becomes === "applied" ? 2500 : 1250);
    }
  });

  it.each([
    ["a statement", "camt.053", facts, "POSSIBLE_DUPLICATE"],
    ["a statement of another day", "camt.053", { ...facts, booked: dayOf("2026-11-25") }, undefined],
    ["a statement of another payer", "camt.053", { ...facts, debtor: "other" }, undefined],
    ["another notification", "camt.054", facts, undefined],
  ])("a credit that nobody is named for may be the one that %s names an account for", async (...row) => {
    const [, kind, said, reason] = row;
    const named = { ...record("a", "N1", 1), bankReference: undefined, endToEndId: "e1", facts };
    const unnamed = { ...record("b", "S1", 7), bankReference: undefined, facts: said };
    for (const texts of [[], ["For nobody"]])
      for (const isFirst of [true, false]) {
        const { programId, arrived, report, availableIn } = await givenBank();
        const both = [arrived(named), arrived({ ...unnamed, report: kind, remittance: texts })];
        for (const one of isFirst ? both : both.toReversed()) await report(one);
        const { items } = await operate("list-suspense", { programId });
        const reasons = items.map((one: { reason: string }) => one.reason);
        const unknown = "ACCOUNT_UNKNOWN";
        const waits = reason === undefined ? [unknown] : isFirst ? [reason] : [unknown, reason];
        expect(reasons.toSorted()).toEqual(waits);
        expect(await availableIn()).toBe(reason === undefined || isFirst ? 1250 : 0);
      }
  });

  it("a credit that nobody is named for is one where notification and statement tell of it, also at once", async () => {
    const of = (kind: string) => ({ ...record(kind, kind, 1, { report: kind }), bankReference: undefined });
    const { programId, arrived, report } = await givenBank();
    const both = ["camt.054", "camt.053"].map((kind) => arrived({ ...of(kind), facts, remittance: [] }));
    await Promise.all(both.map((one) => report(one)));
    const { items } = await operate("list-suspense", { programId });
    const reasons = items.map((one: { reason: string }) => one.reason);
    expect(reasons.toSorted()).toEqual(["ACCOUNT_UNKNOWN", "POSSIBLE_DUPLICATE"]);
  });

  it.each([
    ["on its day", {}, "suspense"],
    ["on another day", { booked: dayOf("2026-11-26") }, "applied"],
    ["of another payer", { debtor: "other" }, "applied"],
  ])(
    "a credit before charges may be the one after them that the payer calls the same: %s",
    async (...row) => {
      const [, more, becomes] = row;
      const { programId, arrived, report } = await givenBank();
      const endToEndId = `e1-${programId}`;
      const own = (kind: string, amount: number, told: object) => ({
        ...record(kind, kind, 1, { report: kind, endToEndId, amount, facts: { ...facts, ...told } }),
        bankReference: undefined,
      });
      await report(arrived(own("camt.054", 1250, {})));
      expect(statusOf(await report(arrived(own("camt.054", 1200, {}))))).toBe("applied");
      expect(statusOf(await report(arrived(own("camt.053", 1235, more))))).toBe(becomes);
    },
  );

  it("of two reports at once, with an amount before charges and one after them, one waits", async () => {
    const { programId, arrived, report, availableIn } = await givenBank();
    const own = (kind: string, amount: number, end: number) => ({
      ...record(kind, kind, end, { report: kind, endToEndId: `${programId}-${end}`, amount, facts }),
      bankReference: undefined,
    });
    for (const end of [1, 2, 3]) {
      const both = [arrived(own("camt.054", 1250, end)), arrived(own("camt.053", 1235, end))];
      const outcomes = await Promise.all(both.map((one, index) => report(one, `file${end}#${index}`)));
      expect(outcomes.map(statusOf).toSorted()).toEqual(["applied", "suspense"]);
    }
    expect(await availableIn()).toBeLessThanOrEqual(3 * 1250);
  });

  it.each([true, false])(
    "a credit by webhook may be one of a file that has no reference of the bank's (webhook first: %s)",
    async (isFirst) => {
      const { arrived, report, announce, availableIn } = await givenBank();
      const filed = { ...record("a", "N1", 1), bankReference: undefined, endToEndId: "e1" };
      const told = () =>
        report(arrived({ ...filed, facts: { booked: dayOf(new Date().toISOString().slice(0, 10)) } }));
      const ways = isFirst ? [announce, told] : [told, announce];
      const outcomes = [];
      for (const way of ways) outcomes.push(statusOf(await way()));
      expect([outcomes, await availableIn()]).toEqual([["applied", "suspense"], 1250]);
    },
  );

  it.each([true, false])(
    "a credit by webhook may be one of a file under another of the bank's references (webhook first: %s)",
    async (isFirst) => {
      const { arrived, report, announce, availableIn } = await givenBank();
      const booked = dayOf(new Date().toISOString().slice(0, 10));
      const filed = { ...record("a", "N1", 1), bankReference: "A1", facts: { booked } };
      const told = () => report(arrived(filed));
      const outcomes = [];
      for (const way of isFirst ? [announce, told] : [told, announce]) outcomes.push(statusOf(await way()));
      expect([outcomes, await availableIn()]).toEqual([["applied", "suspense"], 1250]);
      expect(statusOf(await announce({ bankReference: "another day's", amount: 9 }))).toBe("applied");
    },
  );

  it.each([
    ["another amount", { amount: 9 }, {}, "suspense"],
    ["another text", {}, {}, "suspense"],
    ["another EndToEndId", { endToEndId: "e2" }, {}, "applied"],
    ["another day", { facts: { booked: "other" } }, {}, "applied"],
    ["neither number nor time", { amount: 9 }, { sequence: undefined }, "applied"],
  ])(
    "a statement that comes again with %s, without the bank's references, may be corrected",
    async (...row) => {
      const [, more, places, becomes] = row;
      const { arrived, report, availableIn } = await givenBank();
      const place = { statement: "S1", sequence: "7", entry: 1, ...places };
      const common = { bankReference: undefined, endToEndId: "e1", facts: { booked: "day" } };
      await report(arrived({ ...record("a", "S1", 1, { place }), ...common }));
      const again = () => report(arrived({ ...record("b", "S1", 1, { place }), ...common, ...more }));
      expect([statusOf(await again()), statusOf(await again())]).toEqual([becomes, "duplicate"]);
      const { amount = 1250 } = more as { amount?: number };
      expect(await availableIn()).toBe(1250 + (becomes === "applied" ? amount : 0));
    },
  );

  it("a credit that a notification and a statement tell of at once, without a common reference, waits once", async () => {
    for (const _ of [1, 2, 3]) {
      const { bankReference, arrived, report, availableIn } = await givenBank();
      const facts = { debtor: "1", booked: "day" };
      const told = { ...record("b", "S1", 7), report: "camt.053", bankReference, facts };
      const outcomes = await Promise.all([
        report(arrived({ ...record("a", "N1", 1), bankReference: undefined, facts })),
        report(arrived(told)),
      ]);
      expect(outcomes.map(statusOf).toSorted()).toEqual(["applied", "suspense"]);
      expect(await availableIn()).toBe(1250);
    }
  });

  it("without references it may be another payment in a statement of another time, unless both have one number", async () => {
    const { arrived, report, availableIn } = await givenBank();
    const told = (place: object) =>
      report(arrived({ ...record("a", "S1", 1, { place }), bankReference: undefined }));
    const at = (created: string, more = {}) => told({ statement: "S1", created, entry: 1, ...more });
    const outcomes = [await at("12:00"), await at("13:00"), await at("13:00"), await at("12:00")];
    expect(outcomes.map(statusOf)).toEqual(["applied", "suspense", "duplicate", "duplicate"]);
    const numbered = [await at("12:00", { sequence: "2" }), await at("13:00", { sequence: "2" })];
    expect(numbered.map(statusOf)).toEqual(["suspense", "duplicate"]);
    expect(await availableIn()).toBe(1250);
  });

  it("a UETR is the same in capital and small letters", async () => {
    const { programId, arrived, returned, report, availableIn } = await givenBank();
    const uetr = `EB6305C9-1F7F-49DE-AED0-${programId}`;
    const own = (name: string, more = {}) => ({
      bankReference: undefined,
      references: { uetr: name },
      ...more,
    });
    const other = { ...record("b", "S1", 1), report: "camt.053" };
    await report(arrived({ ...record("a", "N1", 1), ...own(uetr) }));
    expect(statusOf(await report(arrived({ ...other, ...own(uetr.toLowerCase()) })))).toBe("duplicate");
    expect(await availableIn()).toBe(1250);
    expect(statusOf(await report(returned(own(uetr.toLowerCase()))))).toBe("applied");
    expect(await availableIn()).toBe(0);
  });

  it("equal payments are as many in a statement as in their notification, by what the payer calls them", async () => {
    const { bankReference, arrived, report, availableIn } = await givenBank();
    const common = { bankReference: undefined, endToEndId: "e1", facts: { debtor: "1", booked: "day" } };
    const told = (kind: string, statement: string, entry: number, more = {}) =>
      report(arrived({ ...common, ...record(statement, statement, entry), report: kind, ...more }));
    await told("camt.054", "N1", 1);
    await told("camt.054", "N1", 2);
    const own = [1, 2, 3].map((entry) =>
      told("camt.053", "S1", entry, { bankReference: `${bankReference}-${entry}` }),
    );
    const statuses = (await Promise.all(own)).map(statusOf).toSorted();
    expect([statuses, await availableIn()]).toEqual([["applied", "duplicate", "duplicate"], 3750]);
  });

  it.each([true, false])(
    "an entry is not credited again beside its payments (whole first: %s)",
    async (isWholeFirst) => {
      const { bankReference, arrived, report, availableIn } = await givenBank();
      const parts = [1, 2].map((detail) => {
        const place = { statement: "S1", entry: 1, detail };
        const own = { bankReference: `p${detail}-${bankReference}`, references: { entry: bankReference } };
        return arrived({ ...record(String(detail), "S1", 1, { place }), ...own, amount: 500 });
      });
      const whole = arrived({ ...record("w", "S2", 1), report: "camt.053", amount: 1000 });
      const outcomes = [];
      for (const event of isWholeFirst ? [whole, ...parts] : [...parts, whole])
        outcomes.push(statusOf(await report(event)));
      expect(outcomes).toEqual(
        isWholeFirst ? ["applied", "suspense", "suspense"] : ["applied", "applied", "suspense"],
      );
      expect(await availableIn()).toBe(1000);
    },
  );
});
