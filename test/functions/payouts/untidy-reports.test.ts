import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { amountOf, detailsOf, entryOfAmount, notificationOf } from "../../shared/adapters/iso20022/camt.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import {
  debitOf,
  givenBank,
  givenPull,
  givenTwo,
  namesOf,
  returnedOf,
  returnInfo,
  sumsOf,
  toldOf,
} from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});
afterEach(() => void vi.useRealTimers());

const refsOf = (endToEnd: string, servicer: string, instruction?: string) =>
  `<Refs><AcctSvcrRef>${servicer}</AcctSvcrRef>${instruction === undefined ? "" : `<InstrId>${instruction}</InstrId>`}<EndToEndId>${endToEnd}</EndToEndId></Refs>`;

describe("a reference that says nothing", () => {
  it.each(["NONREF", "NOTPROVIDED", "0"])(
    "%s beside the EndToEndId keeps nothing from its payment",
    async (filler) => {
      const { one, other, feed, statuses, suspense, balances } = await givenTwo(files);
      const parts = [one, other].map(
        ({ endToEndId, amount }) =>
          `${refsOf(endToEndId, filler, filler)}${amountOf((amount / 100).toFixed(2))}`,
      );
      const batch = `<Btch><PmtInfId>${filler}</PmtInfId></Btch>`;
      const debit = debitOf(
        "12.50",
        `<AcctSvcrRef>${filler}</AcctSvcrRef>`,
        detailsOf(...parts).replace("<TxDtls>", `${batch}<TxDtls>`),
      );
      expect(sumsOf(await feed(debit))).toEqual([["USD", 1_250, 0, 0, 0]]);
      expect(await statuses()).toEqual(["completed", "completed"]);
      for (const [index, amount] of ["10.00", "2.50"].entries())
        expect(sumsOf(await feed(entryOfAmount(amount, detailsOf(`${parts[index]}${returnInfo}`))))).toEqual([
          ["USD", Math.round(Number(amount) * 100), 0, 0, 0],
        ]);
      expect(await statuses()).toEqual(["returned", "returned"]);
      expect(await suspense()).toEqual([]);
      expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
    },
  );

  it.each(["NONREF", "NOTPROVIDED", "0"])(
    "%s beside the batch's name leaves it the batch's",
    async (filler) => {
      const { batch, message, feed, statuses, balances } = await givenTwo(files);
      const named = batch.replace("</Btch>", `</Btch><TxDtls>${refsOf(filler, filler, filler)}</TxDtls>`);
      expect(sumsOf(await feed(debitOf("12.50", named)))).toEqual([["USD", 1_250, 0, 0, 0]]);
      // The other place of the same name, where the first one is only filled.
      const filled = named.replace(`${message}-1`, filler);
      const inRefs = filled.replace("<InstrId>", `<PmtInfId>${message}-1</PmtInfId><InstrId>`);
      expect(sumsOf(await feed(debitOf("12.50", inRefs)))).toEqual([["USD", 0, 1_250, 0, 0]]);
      expect(await statuses()).toEqual(["completed", "completed"]);
      expect(await balances()).toEqual({ available: 8_750, held: 0, ledger: 8_750 });
    },
  );
});

describe("an entry without the bank's references", () => {
  it("is another movement where it is in another statement of the file, which a number or a time tells", async () => {
    for (const name of ["ElctrncSeqNb", "CreDtTm"]) {
      const { account, one, statuses, programId } = await givenTwo(files);
      const debit = debitOf("10.00", detailsOf(namesOf(one.endToEndId)));
      const told = (value: string) =>
        notificationOf(account, debit)
          .replace(/<.xml.*\n/, "")
          .replace("<Acct>", `<${name}>${value}</${name}><Acct>`);
      const both = `<a>${told("2026-11-24T10:00:00Z")}${told("2026-11-24T11:00:00Z")}</a>`;
      for (const sums of [
        [1_000, 0, 0, 1_000],
        [0, 1_000, 0, 1_000],
      ])
        expect(sumsOf(await files.feed("bank", both))).toEqual([["USD", ...sums]]);
      expect(await statuses()).toEqual(["completed", "sent"]);
      expect((await toldOf(programId)).join()).toContain("as much once more");
    }
  });
});

describe("what names a payment wrongly", () => {
  it("is the other account's own: it is refused or waits there", async () => {
    const { one, batch, statuses, balances, suspense } = await givenTwo(files);
    const other = await givenBank(files);
    const names = detailsOf(namesOf(one.endToEndId));
    for (const debit of [debitOf("10.00", names), debitOf("12.50", batch)])
      expect(sumsOf(await other.feed(debit))).toEqual([
        ["USD", 0, 0, 0, debit.includes("12.50") ? 1_250 : 1_000],
      ]);
    for (const credit of [entryOfAmount("10.00", names), entryOfAmount("12.50", batch)])
      expect(sumsOf(await other.feed(credit))).toEqual([
        ["USD", 0, 0, credit.includes("12.50") ? 1_250 : 1_000, 0],
      ]);
    expect(await toldOf(other.programId)).toHaveLength(2);
    const { items } = await operate("list-suspense", { programId: other.programId });
    expect(items.map(({ amount }) => amount).toSorted()).toEqual([1_000, 1_250]);
    expect([await statuses(), await suspense()]).toEqual([["sent", "sent"], []]);
    expect(await balances()).toEqual({ available: 8_750, held: 1_250, ledger: 10_000 });
    expect(await other.balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
  });

  it("is refused if no file had the payment: the bank was never asked", async () => {
    const { created, cancel, view, feed, balances, programId } = await givenBank(files);
    const { payoutId, endToEndId } = await created();
    await cancel(payoutId);
    const names = detailsOf(namesOf(endToEndId));
    expect(sumsOf(await feed(debitOf("10.00", names)))).toEqual([["USD", 0, 0, 0, 1_000]]);
    expect(sumsOf(await feed(entryOfAmount("10.00", names)))).toEqual([["USD", 0, 0, 1_000, 0]]);
    expect(await toldOf(programId)).toHaveLength(1);
    expect(await view(payoutId)).toMatchObject({ status: "cancelled" });
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
  });
});

describe("a pull's return", () => {
  const monday = Date.UTC(2031, 0, 6, 12);
  const debited = (endToEndId: string) => debitOf("10.00", detailsOf(`${namesOf(endToEndId)}${returnInfo}`));

  it.each([
    [55, 0],
    [57, 1],
  ])("%i days after it came is booked, and told to the operator %i times", async (days, times) => {
    vi.useFakeTimers({ toFake: ["Date"], now: monday });
    const bank = await givenBank(files);
    const { endToEndId, status } = await givenPull(bank);
    await bank.feed(entryOfAmount("10.00", detailsOf(namesOf(endToEndId))));
    vi.setSystemTime(monday + days * 86_400_000);
    await sweepDeadlines();
    expect(await status()).toBe("completed");
    for (const _ of [1, 2]) await bank.feed(debited(endToEndId));
    expect(await status()).toBe("returned");
    expect(await bank.balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
    const late = expect.stringContaining("after its time");
    expect(await toldOf(bank.programId)).toEqual(Array.from({ length: times }, () => late));
  });

  it("of several at once has the bank's charge of each", async () => {
    const bank = await givenBank(files);
    const { endToEndId, status } = await givenPull(bank);
    await bank.feed(entryOfAmount("10.00", detailsOf(namesOf(endToEndId))));
    const charge = `<Chrgs><Rcrd>${amountOf("3.00")}</Rcrd></Chrgs>`;
    const parts = [namesOf(endToEndId), namesOf("OTHER-PULL-1")].map(
      (names) => `${names}${amountOf("10.00")}${charge}${returnInfo}`,
    );
    await bank.feed(debitOf("26.00", detailsOf(...parts)));
    expect(await status()).toBe("returned");
    expect(await toldOf(bank.programId)).toHaveLength(2);
  });

  it("is not booked if another account was debited, or the report names no account", async () => {
    const [bank, other] = [await givenBank(files), await givenBank(files)];
    const { endToEndId, status } = await givenPull(bank);
    await bank.feed(entryOfAmount("10.00", detailsOf(namesOf(endToEndId))));
    const entries = [`${amountOf("10.00")}${returnInfo}`, amountOf("10.00")].map((detail) =>
      debitOf("10.00", detailsOf(`${namesOf(endToEndId)}${detail}`)),
    );
    expect(await other.feed(...entries)).toMatchObject({ applied: 0 });
    for (const account of [makeIban(newId("program")), ""]) {
      const file = notificationOf(account, ...entries).replace("<IBAN></IBAN>", "<Othr><Id>7</Id></Othr>");
      expect(await files.feed("bank", file)).toMatchObject({ applied: 0 });
    }
    expect(await status()).toBe("collected");
    expect(await bank.balances()).toEqual({ available: 10_000, held: 0, ledger: 11_000 });
  });
});

describe("an external account that changes while payments are under way", () => {
  const calls = ({ program }: Awaited<ReturnType<typeof givenTwo>>) => {
    const on = (externalAccountId: string, body?: object) => ({ path: { externalAccountId }, body });
    return {
      archive: (id: string) => program.call("DELETE /external-accounts/{externalAccountId}", on(id)),
      verify: (id: string) =>
        program.call(
          "POST /external-accounts/{externalAccountId}/verification",
          on(id, { method: "bank_check" }),
        ),
      check: (id: string) =>
        program.call("POST /external-accounts/{externalAccountId}/check", on(id, { outcome: "match" })),
      status: async (id: string) =>
        (await program.call("GET /external-accounts/{externalAccountId}", on(id))).body.data.status,
    };
  };

  it("archived: they end as they would, and the same account added again is another", async () => {
    const given = await givenTwo(files);
    const { program, programId, externalAccountId, iban, one, other, created, create, view, feed } = given;
    const { archive, status } = calls(given);
    const later = await created({ amount: 70 });
    expect((await archive(externalAccountId)).status).toBe(200);
    expect((await create()).body.code).toBe("EXTERNAL_ACCOUNT_NOT_VERIFIED");
    const body = { holderName: "Ana Example", holderType: "person", iban };
    const again = (await program.call("POST /external-accounts", { body })).body.data;
    expect(again).toMatchObject({ status: "new" });
    expect((await create({ externalAccountId: again.externalAccountId })).status).toBe(409);
    expect(await makeFiles(programId)).toMatchObject([{ count: 1, sumMinor: 70 }]);
    for (const { endToEndId, amount } of [one, later])
      await feed(debitOf((amount / 100).toFixed(2), detailsOf(namesOf(endToEndId))));
    // AC04 suspends an account that is verified, not this one, and none that was added later.
    await feed(returnedOf(other.endToEndId, "2.50"));
    const ends = await Promise.all(
      [one, other, later].map(async ({ payoutId }) => (await view(payoutId)).status),
    );
    expect(ends).toEqual(["completed", "returned", "completed"]);
    expect([await status(externalAccountId), await status(again.externalAccountId)]).toEqual([
      "archived",
      "new",
    ]);
    expect(await given.balances()).toEqual({ available: 8_930, held: 0, ledger: 8_930 });
  });

  it("suspended: nothing new goes there until it is verified again, and what was sent ends", async () => {
    const given = await givenTwo(files);
    const { externalAccountId, one, other, create, statuses, feed } = given;
    const { verify, check, status } = calls(given);
    await feed(returnedOf(other.endToEndId, "2.50"));
    expect(await status(externalAccountId)).toBe("suspended");
    expect((await create()).body.code).toBe("EXTERNAL_ACCOUNT_NOT_VERIFIED");
    await feed(debitOf("10.00", detailsOf(namesOf(one.endToEndId))));
    expect(await statuses()).toEqual(["completed", "returned"]);
    expect((await verify(externalAccountId)).status).toBe(200);
    expect((await create()).body.code).toBe("EXTERNAL_ACCOUNT_NOT_VERIFIED");
    expect((await check(externalAccountId)).body.data.status).toBe("verified");
    expect((await create()).body.data).toMatchObject({ status: "pending" });
    // The old report, said again, suspends it no more.
    await feed(returnedOf(other.endToEndId, "2.50"));
    expect(await status(externalAccountId)).toBe("verified");
  });
});
