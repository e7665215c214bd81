import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { operate } from "../../harness/administration.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { amountOf, detailsOf, entryOfAmount, returnOf } from "../../shared/adapters/iso20022/camt.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { debitOf, givenBank, givenPull, namesOf, returnedOf, statusFile, toldOf } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});
afterEach(() => void vi.useRealTimers());

const returnInfo = "<RtrInf><Rsn><Cd>MS03</Cd></Rsn></RtrInf>";
const refsOf = (endToEnd: string, servicer: string, instruction?: string) =>
  `<Refs><AcctSvcrRef>${servicer}</AcctSvcrRef>${instruction === undefined ? "" : `<InstrId>${instruction}</InstrId>`}<EndToEndId>${endToEnd}</EndToEndId></Refs>`;
const reversed = (entry: string) => entry.replace("<Sts>", "<RvslInd>true</RvslInd><Sts>");

const reportOf = (endToEnd: string, amount: string) =>
  returnOf(
    `<RtrId>X${endToEnd}</RtrId><OrgnlEndToEndId>${endToEnd}</OrgnlEndToEndId><RtrdIntrBkSttlmAmt Ccy="USD">${amount}</RtrdIntrBkSttlmAmt>`,
  );

/** Two payouts, of 10.00 and 2.50, of one file and one batch. */
async function givenTwo() {
  const bank = await givenBank(files);
  const [one, other] = [await bank.created(), await bank.created({ amount: 250 })];
  const [file] = await makeFiles(bank.programId);
  const message = file?.fileId.slice(4) ?? "";
  const suspense = async (): Promise<number[]> =>
    (await operate("list-suspense", { programId: bank.programId })).items.map(({ amount }) => amount);
  const statuses = async () => [
    (await bank.view(one.payoutId)).status,
    (await bank.view(other.payoutId)).status,
  ];
  const batch = `<NtryDtls><Btch><PmtInfId>${message}-1</PmtInfId></Btch></NtryDtls>`;
  return { ...bank, one, other, message, batch, suspense, statuses, told: () => toldOf(bank.programId) };
}

/** Of what a report adds up to: what was booked, known, in suspense and refused. */
function sumsOf({ sums = [], addsUp }: Awaited<ReturnType<GivenFiles["feed"]>>) {
  expect(addsUp).toBe(true);
  return sums.map(({ currency, booked, known, suspense, refused }) => [
    currency,
    ...[booked, known, suspense, refused].map(({ amount }) => amount),
  ]);
}

describe("a batch", () => {
  it.each(["12.49", "12.51", "10.00"])(
    "of %s fits no sum: it is refused, or waits, as a whole",
    async (amount) => {
      const { batch, feed, statuses, suspense, told, balances } = await givenTwo();
      const minor = Math.round(Number(amount) * 100);
      expect(sumsOf(await feed(debitOf(amount, batch)))).toEqual([["USD", 0, 0, 0, minor]]);
      const said = `not rejected are 12.50, the entry is ${amount}. If the bank rejected some of them, feed that report`;
      expect(await told()).toEqual([expect.stringContaining(said)]);
      await feed(debitOf("12.50", batch));
      expect(sumsOf(await feed(entryOfAmount(amount, batch)))).toEqual([["USD", 0, 0, minor, 0]]);
      expect(await suspense()).toEqual([minor]);
      expect(await statuses()).toEqual(["completed", "completed"]);
      expect(await balances()).toEqual({ available: 8_750, held: 0, ledger: 8_750 });
    },
  );

  it("that is taken back after one of its payments came back: what came twice waits in suspense", async () => {
    const { other, batch, feed, statuses, suspense, balances } = await givenTwo();
    await feed(debitOf("12.50", batch));
    const single = detailsOf(`${refsOf(other.endToEndId, "R1")}${amountOf("2.50")}${returnInfo}`);
    await feed(entryOfAmount("2.50", single));
    const whole = reversed(entryOfAmount("12.50", `<AcctSvcrRef>R2</AcctSvcrRef>${batch}`));
    expect(sumsOf(await feed(whole))).toEqual([["USD", 1_000, 0, 250, 0]]);
    expect(sumsOf(await feed(whole))).toEqual([["USD", 0, 1_250, 0, 0]]);
    expect(await statuses()).toEqual(["returned", "returned"]);
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
    expect(await suspense()).toEqual([250]);
  });
});

describe("a reference that says nothing", () => {
  it.each(["NONREF", "NOTPROVIDED", "0"])(
    "%s beside the EndToEndId keeps nothing from its payment",
    async (filler) => {
      const { one, other, feed, statuses, suspense, balances } = await givenTwo();
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
      const { batch, message, feed, statuses, balances } = await givenTwo();
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

  it.each(["NONREF", "NOTPROVIDED", "0"])("%s alone names none", async (filler) => {
    const { feed, statuses, suspense } = await givenTwo();
    const names = refsOf(filler, filler, filler);
    expect(sumsOf(await feed(debitOf("10.00", detailsOf(names))))).toEqual([["USD", 0, 0, 0, 1_000]]);
    expect(sumsOf(await feed(entryOfAmount("10.00", detailsOf(names))))).toEqual([["USD", 0, 0, 1_000, 0]]);
    expect(await statuses()).toEqual(["sent", "sent"]);
    expect(await suspense()).toEqual([1_000]);
  });
});

describe("what names a payment wrongly", () => {
  it("is refused or waits in suspense, in another currency", async () => {
    const { one, batch, feed, statuses, suspense, told } = await givenTwo();
    const inEuros = (text: string) => text.replaceAll('Ccy="USD"', 'Ccy="EUR"');
    const names = detailsOf(namesOf(one.endToEndId));
    expect(sumsOf(await feed(inEuros(debitOf("10.00", names))))).toEqual([["EUR", 0, 0, 0, 1_000]]);
    expect(sumsOf(await feed(inEuros(debitOf("12.50", batch))))).toEqual([["EUR", 0, 0, 0, 1_250]]);
    expect(sumsOf(await feed(inEuros(entryOfAmount("10.00", names))))).toEqual([["EUR", 0, 0, 1_000, 0]]);
    const reported = reportOf(one.endToEndId, "10.00");
    expect(sumsOf(await files.feed("bank", inEuros(reported)))).toEqual([["EUR", 0, 0, 0, 1_000]]);
    expect(await statuses()).toEqual(["sent", "sent"]);
    expect(await suspense()).toEqual([1_000]);
    expect(await told()).toEqual(
      expect.arrayContaining([expect.stringContaining("10.00 EUR"), expect.stringContaining("12.50 EUR")]),
    );
  });

  it("is more than was paid: a report of it takes nothing from suspense", async () => {
    const { one, feed, statuses, suspense, told, balances } = await givenTwo();
    expect(sumsOf(await feed(returnedOf(one.endToEndId, "10.01")))).toEqual([["USD", 0, 0, 1_001, 0]]);
    const reported = reportOf(one.endToEndId, "10.01");
    expect(sumsOf(await files.feed("bank", reported))).toEqual([["USD", 0, 0, 0, 1_001]]);
    expect(await suspense()).toEqual([1_001]);
    expect(await told()).toHaveLength(1);
    expect(await statuses()).toEqual(["sent", "sent"]);
    expect(await balances()).toEqual({ available: 8_750, held: 1_250, ledger: 10_000 });
  });

  it("is the other account's own: it is refused or waits there", async () => {
    const { one, batch, statuses, balances, suspense } = await givenTwo();
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

describe("an entry under another of the bank's references", () => {
  it("is the same debit, and another return: a payout leaves once, and comes back once", async () => {
    const { one, feed, suspense, balances } = await givenTwo();
    const debit = (reference: string) => debitOf("10.00", detailsOf(refsOf(one.endToEndId, reference)));
    expect(sumsOf(await feed(debit("D1")))).toEqual([["USD", 1_000, 0, 0, 0]]);
    expect(sumsOf(await feed(debit("D2")))).toEqual([["USD", 0, 1_000, 0, 0]]);
    const back = (reference: string) =>
      entryOfAmount(
        "10.00",
        detailsOf(`${refsOf(one.endToEndId, reference)}${amountOf("10.00")}${returnInfo}`),
      );
    expect(sumsOf(await feed(back("R1")))).toEqual([["USD", 1_000, 0, 0, 0]]);
    expect(sumsOf(await feed(back("R2")))).toEqual([["USD", 0, 0, 1_000, 0]]);
    expect(sumsOf(await feed(debit("D3"), back("R1")))).toEqual([["USD", 0, 2_000, 0, 0]]);
    expect(await suspense()).toEqual([1_000]);
    expect(await balances()).toEqual({ available: 9_750, held: 250, ledger: 10_000 });
  });

  it("is the same collection of a pull", async () => {
    const bank = await givenBank(files);
    const { endToEndId, status } = await givenPull(bank);
    const credit = (reference: string) => entryOfAmount("10.00", detailsOf(refsOf(endToEndId, reference)));
    expect(sumsOf(await bank.feed(credit("C1")))).toEqual([["USD", 1_000, 0, 0, 0]]);
    expect(sumsOf(await bank.feed(credit("C2")))).toEqual([["USD", 0, 1_000, 0, 0]]);
    expect(await status()).toBe("collected");
    expect(await bank.balances()).toEqual({ available: 10_000, held: 0, ledger: 11_000 });
  });
});

describe("a payout's entries the other way round", () => {
  it("the credit before the debit: it has left and come back, and the debit moves nothing", async () => {
    const { one, feed, statuses, balances } = await givenTwo();
    expect(sumsOf(await feed(returnedOf(one.endToEndId, "9.70")))).toEqual([["USD", 970, 0, 0, 0]]);
    expect(await balances()).toEqual({ available: 9_720, held: 250, ledger: 9_970 });
    const debit = debitOf("10.00", detailsOf(namesOf(one.endToEndId)));
    expect(sumsOf(await feed(debit))).toEqual([["USD", 0, 1_000, 0, 0]]);
    expect(sumsOf(await feed(debit))).toEqual([["USD", 0, 1_000, 0, 0]]);
    expect(await statuses()).toEqual(["returned", "sent"]);
    expect(await balances()).toEqual({ available: 9_720, held: 250, ledger: 9_970 });
  });

  it("a rejection after the debit moves nothing, and the operator is told once", async () => {
    const { one, feed, statuses, balances, told } = await givenTwo();
    await feed(debitOf("10.00", detailsOf(namesOf(one.endToEndId))));
    for (const _ of [1, 2]) await files.feed("bank", statusFile(one.endToEndId, "RJCT"));
    expect(await statuses()).toEqual(["completed", "sent"]);
    expect(await told()).toEqual([expect.stringContaining("10.00 USD")]);
    expect(await balances()).toEqual({ available: 8_750, held: 250, ledger: 9_000 });
  });
});

describe("a pull's return", () => {
  const monday = Date.UTC(2031, 0, 6, 12);
  const debited = (endToEndId: string) => debitOf("10.00", detailsOf(`${namesOf(endToEndId)}${returnInfo}`));

  it("before its credit: neither moves anything", async () => {
    const bank = await givenBank(files);
    const { endToEndId, status } = await givenPull(bank);
    await bank.feed(debited(endToEndId));
    expect(await status()).toBe("returned");
    const credit = entryOfAmount("10.00", detailsOf(namesOf(endToEndId)));
    for (const _ of [1, 2]) expect(sumsOf(await bank.feed(credit))).toEqual([["USD", 0, 1_000, 0, 0]]);
    expect(await status()).toBe("returned");
    expect(await bank.balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
  });

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
    const given = await givenTwo();
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
    const given = await givenTwo();
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
