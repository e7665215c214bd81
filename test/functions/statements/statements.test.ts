import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { closedMonths } from "../../../shared/statements/statement.ts";
import { programs } from "../../../shared/tenancy/programs/program.ts";
import { tenants } from "../../../shared/tenancy/tenant.ts";
import { overwrite } from "../../harness/given-cards.ts";
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

  it("answers 406 for an unknown form", async () => {
    const { card } = await givenAccounts();
    expect(await card.get(day("10"), {}, { Accept: "image/png" })).toMatchObject({ status: 406 });
  });
});
