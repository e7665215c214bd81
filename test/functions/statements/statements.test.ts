import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { closedMonths } from "../../../shared/statements/closed-month.ts";
import { programs } from "../../../shared/tenancy/programs/program.ts";
import { tenants } from "../../../shared/tenancy/tenant.ts";
import { type GivenProgram, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenAccounts } from "./given-statements.ts";

/** Each test has years of its own: ids never go back in time. */
let year = 2028;
const day = (text: string) => `${year + (text < "06" ? 1 : 0)}-${text}`;
const at = (text: string) => vi.setSystemTime(Date.parse(day(text)));

beforeEach(() => {
  year += 2;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(day("10-20T12:00:00.000Z")) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("GET /cards/{cardId}/statements/{period}", () => {
  it("has a line for each change of the balance, and the fee of a withdrawal apart", async () => {
    const { card, onCard, walletId, done, cardId, program } = await givenAccounts();
    const { depositId } = await onCard("deposits", { amount: 50_000 });
    await done("POST /deposits/{depositId}/clear", { depositId });
    await onCard("authorizations", { amount: 4_000 });
    await onCard("force-post", { amount: 1_200, merchantName: "Corner Shop" });
    await onCard("atm-withdrawals", { amount: 2_000, feeAmount: 250 });
    await onCard("fees", { feeType: 2, amount: 300 });
    await onCard("unload", { walletId, amount: 1_000 });
    await onCard("deposits", { amount: 9_000 });
    const statement = await card.view(day("10"));
    expect(
      statement.lines.map(({ type, description, amount, balance }) => [type, description, amount, balance]),
    ).toEqual([
      ["deposit", "Digital-asset deposit", 50_000, 50_000],
      ["purchase", "Corner Shop", -1_200, 48_800],
      ["cash", "Foreign Cash Withdrawal", -2_000, 46_800],
      ["fee", "Foreign Cash Adv Fee", -250, 46_550],
      ["fee", "Maintenance Fee", -300, 46_250],
      ["transfer_out", "Card unload", -1_000, 45_250],
    ]);
    const { openingBalance, closingBalance, proof, closed } = statement;
    expect({ openingBalance, closingBalance, closed }).toEqual({
      openingBalance: 0,
      closingBalance: 45_250,
      closed: false,
    });
    expect(proof).toEqual({ entries: 5, sum: 45_250, hash: expect.stringMatching(/^[\w+/]{43}=$/) });
    const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
    expect(body.data.ledgerBalance - 9_000).toBe(closingBalance);
    const { body: list } = await program.call("GET /cards/transactions", { query: { cardId } });
    const { body: fees } = await program.call("GET /cards/fees", { query: { cardId } });
    const known = new Set([
      ...list.items.map(({ transId }: { transId: string }) => transId),
      ...fees.items.map(({ feeId }: { feeId: string }) => feeId),
    ]);
    expect(statement.lines.filter(({ transId }) => !known.has(transId))).toEqual([]);
  });

  it("shows a deposit in the month in which it cleared", async () => {
    const { card, onCard, done } = await givenAccounts();
    const { depositId } = await onCard("deposits", { amount: 700 });
    at("11-02T08:00:00.000Z");
    await done("POST /deposits/{depositId}/clear", { depositId });
    expect((await card.view(day("10"))).lines).toEqual([]);
    expect((await card.view(day("11"))).lines).toMatchObject([
      { date: day("11-02"), amount: 700, balance: 700 },
    ]);
  });

  it("goes on as one when the Card's number is replaced", async () => {
    const { program, card, onCard, cardId } = await givenAccounts();
    const { plasticId } = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
    await onCard("bank-deposit", { amount: 5_000 });
    await onCard("replace", { reason: "lost" });
    await onCard("force-post", { amount: 300, plasticId });
    await onCard("force-post", { amount: 100 });
    expect((await card.view(day("10"))).lines.map(({ balance }) => balance)).toEqual([5_000, 4_700, 4_600]);
    at("11-02T08:00:00.000Z");
    expect(await card.view(day("11"))).toMatchObject({ openingBalance: 4_600, lines: [] });
    expect((await card.months()).items.map(({ period }) => period)).toEqual([day("11"), day("10")]);
  });

  it("keeps a closed month the same bytes in every form", async () => {
    const { card, onCard } = await givenAccounts();
    await onCard("bank-deposit", { amount: 5_000, reference: "=1+1" });
    at("11-01T00:00:59.000Z");
    expect((await card.view(day("10"))).closed).toBe(false);
    at("11-01T00:01:00.000Z");
    const formats = ["json", "csv", "pdf", "camt053"];
    const all = async () => Promise.all(formats.map((format) => card.get(day("10"), { format })));
    const first = await all();
    at("04-01T00:00:00.000Z");
    await onCard("force-post", { amount: 100 });
    expect(await all()).toEqual(first);
    expect(first.map(({ headers }) => headers["Content-Type"])).toEqual([
      "application/json",
      "text/csv; charset=utf-8",
      "application/pdf",
      "application/xml; charset=utf-8",
    ]);
  });

  it("keeps the names and the number that it was closed with, the Cardholder's as written", async () => {
    const { program, card, wallet, walletId, cardId, onCard, done } = await givenAccounts();
    const { cardholderId } = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
    const person = cardholders.key(program.programId, cardholderId);
    await overwrite(person, { firstName: "Łukasz", lastName: "Παπαδόπουλος 山田" });
    await onCard("bank-deposit", { amount: 5_000 });
    at("11-02");
    const formats = ["json", "csv", "pdf", "camt053"];
    const all = async () => [
      ...(await Promise.all(formats.map((format) => card.get(day("10"), { format })))),
      ...(await Promise.all(formats.map((format) => wallet.get(day("10"), { format })))),
    ];
    const first = await all();
    const { printed } = await closedMonths.at(program.programId, cardId, day("10")).require();
    expect(printed).toEqual({
      name: "Ada Lovelace",
      cardNumber: expect.stringMatching(/^\d{6}\*{6}\d{4}$/),
      holderName: "Łukasz Παπαδόπουλος 山田",
      issuerName: "Test",
      programName: "Test",
    });
    await overwrite(person, { lastName: "Other" });
    await overwrite(cards.key(program.programId, cardId), { lastFour: "0000", nameOnCard: "OTHER" });
    await done("PUT /wallets/{walletId}", { walletId }, { name: "Other" });
    await programs.at(program.programId).updateNow({ set: { name: "Other" } });
    await tenants.at(program.caller.tenantId as string).updateNow({ set: { name: "Other" } });
    expect(await all()).toEqual(first);
    // The month under way has those of today.
    const open = await card.get(day("11"), { format: "pdf" });
    expect(open.body).not.toEqual(first[2]?.body);
  });

  it("has the present names, and no Cardholder's, where an earlier version closed the month", async () => {
    const { program, card, cardId, onCard } = await givenAccounts();
    await onCard("bank-deposit", { amount: 5_000 });
    at("11-02");
    const before = await card.get(day("10"), { format: "camt053" });
    const closed = closedMonths.at(program.programId, cardId, day("10"));
    await closed.updateNow({ remove: ["printed"] });
    expect(await card.get(day("10"), { format: "camt053" })).toEqual(before);
    expect(await card.get(day("10"), { format: "pdf" })).toMatchObject({ status: 200 });
    expect((await closed.require()).printed).toBeUndefined();
  });

  it.each(["json", "csv", "pdf", "camt053"])(
    "is the same bytes for all who request a closed month first, at once: %s",
    async (format) => {
      const { program, card, cardId, onCard } = await givenAccounts();
      await onCard("bank-deposit", { amount: 5_000 });
      await onCard("force-post", { amount: 100 });
      at("11-02");
      const answers = await Promise.all(Array.from({ length: 6 }, () => card.get(day("10"), { format })));
      const [first, ...others] = answers;
      expect(first?.status).toBe(200);
      for (const other of others) expect(other).toEqual(first);
      const items = await storedItems(program.programId);
      const months = items.filter(({ pk, sk }) => pk.includes(cardId) && sk.startsWith("STATEMENT#"));
      expect(months).toMatchObject([{ period: day("10"), entries: 2, closingMinor: 4_900 }]);
    },
  );

  it("is an error, and no other statement, if the journal of a closed month has changed", async () => {
    const { program, card, cardId, onCard } = await givenAccounts();
    await onCard("bank-deposit", { amount: 5_000 });
    at("11-02");
    expect((await card.view(day("10"))).closingBalance).toBe(5_000);
    const { programId } = program;
    const closed = closedMonths.at(programId, cardId, day("10"));
    await closed.updateNow({ set: { hash: "another" } });
    const { status, body } = await card.get(day("10"));
    expect([status, body.code]).toEqual([500, "INTERNAL"]);
    expect(await closed.get()).toMatchObject({ hash: "another" });
  });

  it("begins with the closing balance of the month before, also after months without a line", async () => {
    const { card, onCard } = await givenAccounts();
    await onCard("bank-deposit", { amount: 5_000 });
    at("03-05T00:00:00.000Z");
    await onCard("force-post", { amount: 7_000 });
    expect(await card.view(day("03"))).toMatchObject({ openingBalance: 5_000, closingBalance: -2_000 });
    expect(await card.view(day("01"))).toMatchObject({
      openingBalance: 5_000,
      closingBalance: 5_000,
      closed: true,
    });
  });

  it("answers 404 for months before the Card and after this one, and 406 for an unknown form", async () => {
    const { card } = await givenAccounts();
    for (const period of [day("09"), day("11"), day("13"), day("7")])
      expect(await card.get(period)).toMatchObject({ status: 404 });
    expect(await card.get(day("10"), {}, { Accept: "image/png" })).toMatchObject({ status: 406 });
    expect(await card.get(day("10"), { format: "xls" })).toMatchObject({ status: 422 });
  });
});

async function givenWithdrawals(program: GivenProgram) {
  const { cardId } = await givenCard(program);
  const onCard = async (route: string, body: object) => {
    const answer = await program.call(`POST /cards/{cardId}/${route}`, { path: { cardId }, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data as Record<string, string>;
  };
  await onCard("deposits", { amount: 10_000, pending: false });
  const { transId, feeId } = await onCard("atm-withdrawals", { amount: 2_000, feeAmount: 250 });
  await onCard("atm-withdrawals", { amount: 1_000, feeAmount: 0 });
  await onCard("fees", { feeType: 2, amount: 300 });
  const path = { cardId, period: new Date().toISOString().slice(0, 7) };
  const view = (query: Record<string, string>) =>
    program.call("GET /cards/{cardId}/statements/{period}", { path, query });
  return { transId, feeId, view };
}

it("is one line of a withdrawal and its fee, if it is asked for, in each format", async () => {
  const { transId, feeId, view } = await givenWithdrawals(await givenProgram());
  const apart = (await view({})).body.data;
  const grouped = (await view({ group: "true" })).body.data;
  expect(apart.lines.map(({ amount }: { amount: number }) => amount)).toEqual([
    10_000, -2_000, -250, -1_000, -300,
  ]);
  expect(grouped.lines).toHaveLength(4);
  expect(grouped.lines[1]).toEqual({
    ...apart.lines[1],
    amount: -2_250,
    balance: 7_750,
    group: [
      { type: "cash", description: "Foreign Cash Withdrawal", amount: -2_000, transId },
      { type: "fee", description: "Foreign Cash Adv Fee", amount: -250, transId: feeId },
    ],
  });
  expect(grouped.lines[2]).toEqual(apart.lines[3]);
  expect({ ...grouped, lines: apart.lines }).toEqual(apart);
  const csv = (await view({ group: "true", format: "csv" })).body as unknown as string;
  expect(String(csv)).toContain("-2250");
  expect((await view({ group: "yes" })).status).toBe(422);
});
