import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { later, useOwnDays } from "../../shared/listing/given-list.ts";

interface Row {
  readonly walletTransactionId: string;
  readonly type: string;
  readonly amount: number;
  readonly relatedId: string;
  readonly description?: string;
  readonly dateCreated: string;
}

type Route = Parameters<GivenProgram["call"]>[0];

async function done(program: GivenProgram, route: Route, path: Record<string, string>, body: object = {}) {
  const answer = await program.call(route, { path, body });
  if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

async function list(program: GivenProgram, walletId: string, query: Record<string, string> = {}) {
  const { status, body } = await program.call("GET /wallets/{walletId}/transactions", {
    path: { walletId },
    query,
  });
  return { ...(body as { items: Row[]; total: number; code?: string }), status };
}

async function ledgerBalance(program: GivenProgram, walletId: string): Promise<number> {
  return (await done(program, "GET /wallets/{walletId}", { walletId })).ledgerBalance;
}

async function givenWallet(program: GivenProgram): Promise<string> {
  return (await done(program, "POST /wallets", {}, { name: "Float" })).walletId;
}

const sum = (rows: readonly Row[]) => rows.reduce((total, { amount }) => total + amount, 0);
const brief = (rows: readonly Row[]) => rows.map(({ type, amount, relatedId }) => [type, amount, relatedId]);

async function transfer(program: GivenProgram, from: string, to: string, amount: number, memo?: string) {
  const destinationType = to.startsWith("wlt_") ? 0 : 1;
  const body = { sourceWalletId: from, destinationType, destinationId: to, amount, memo };
  return done(program, "POST /wallets/transfer", {}, body);
}

/** A digital-asset deposit of the sandbox, pending unless `pending` is false. */
async function deposit(program: GivenProgram, walletId: string, amount: number, pending = true) {
  const { depositId } = await done(
    program,
    "POST /wallets/{walletId}/deposits",
    { walletId },
    { amount, pending },
  );
  return depositId as string;
}

describe("GET /wallets/{walletId}/transactions", () => {
  it("has one row for each change of the ledger balance, and the rows add up to it", async () => {
    const program = await givenProgram();
    const [walletId, other] = [await givenWallet(program), await givenWallet(program)];
    const bank = await done(
      program,
      "POST /wallets/{walletId}/bank-deposit",
      { walletId },
      { amount: 900, reference: "INV-8" },
    );
    const cleared = await deposit(program, walletId, 50);
    await done(program, "POST /deposits/{depositId}/clear", { depositId: cleared });
    const reversed = await deposit(program, walletId, 7);
    await done(program, "POST /deposits/{depositId}/reverse", { depositId: reversed });
    const pending = await deposit(program, walletId, 11);
    const direct = await deposit(program, walletId, 13, false);
    const out = await transfer(program, walletId, other, 100, "Rent");
    const back = await transfer(program, other, walletId, 40);
    const { cardId } = await givenCard(program);
    const load = await transfer(program, walletId, cardId, 300);
    await transfer(program, walletId, cardId, 100_000);
    await done(program, "POST /cards/{cardId}/close", { cardId }, { sweepToWalletId: walletId });

    const { items, total } = await list(program, walletId, { sort: "asc" });
    expect(brief(items)).toEqual([
      ["deposit", 900, bank.depositId],
      ["deposit", 50, cleared],
      ["deposit", 7, reversed],
      ["deposit_reversal", -7, reversed],
      ["deposit", 11, pending],
      ["deposit", 13, direct],
      ["transfer_out", -100, out.transferId],
      ["transfer_in", 40, back.transferId],
      ["transfer_out", -300, load.transferId],
      ["card_sweep", 300, cardId],
    ]);
    expect(items.map(({ description }) => description).filter(Boolean)).toEqual(["INV-8", "Rent"]);
    expect(total).toBe(10);
    expect(sum(items)).toBe(await ledgerBalance(program, walletId));

    const otherRows = (await list(program, other, { sort: "asc" })).items;
    expect(brief(otherRows)).toEqual([
      ["transfer_in", 100, out.transferId],
      ["transfer_out", -40, back.transferId],
    ]);
    const ids = [...items, ...otherRows].map(({ walletTransactionId }) => walletTransactionId);
    expect(new Set(ids).size).toBe(12);
  });

  it("takes one round trip for a Wallet of few transactions", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    await deposit(program, walletId, 50);
    const { cost } = await measure(() => list(program, walletId));
    expect(cost.roundTrips).toBe(1);
  });

  it("filters by type", async () => {
    const program = await givenProgram();
    const walletId = await givenWallet(program);
    await deposit(program, walletId, 50);
    await done(program, "POST /deposits/{depositId}/reverse", {
      depositId: await deposit(program, walletId, 7),
    });
    const { items, total } = await list(program, walletId, { type: "deposit_reversal" });
    expect([total, sum(items)]).toEqual([1, -7]);
    expect((await list(program, walletId, { type: "card_sweep" })).total).toBe(0);
  });

  it.each<Record<string, string>>([
    { limit: "0" },
    { offset: "-1" },
    { type: "fee" },
    { orderBy: "relatedId" },
    { before: "soon" },
  ])("refuses %j with 422", async (query) => {
    const program = await givenProgram();
    expect(await list(program, await givenWallet(program), query)).toMatchObject({
      status: 422,
      code: "VALIDATION_FAILED",
    });
  });

  it("does not know another Program's Wallet", async () => {
    const [program, other] = [await givenProgram(), await givenProgram()];
    expect(await list(other, await givenWallet(program))).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });
});

/** What is done to one of two Wallets and a Card. */
const step = fc.record({
  what: fc.constantFrom("bank", "pending", "direct", "clear", "reverse", "to wallet", "to card", "sweep"),
  wallet: fc.nat(1),
  amount: fc.integer({ min: 1, max: 90 }),
});
const orders: Readonly<Record<string, keyof Row>> = {
  dateCreated: "dateCreated",
  walletTransactionId: "walletTransactionId",
  amount: "amount",
  type: "type",
};
const page = fc.record({
  orderBy: fc.constantFrom(...Object.keys(orders)),
  sort: fc.constantFrom("asc" as const, "desc" as const),
  type: fc.option(fc.constantFrom("deposit", "deposit_reversal", "transfer_in", "transfer_out"), {
    nil: undefined,
  }),
  limit: fc.integer({ min: 1, max: 9 }),
  offset: fc.nat(9),
});

describe("the transactions of Wallets", () => {
  useOwnDays(Date.UTC(2100, 0, 1));

  it("are, after any sequence of steps, what the model says, however they are asked for", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.array(page, { minLength: 4, maxLength: 4 }),
        async (steps, pages) => {
          const program = await givenProgram();
          const wallets = [await givenWallet(program), await givenWallet(program)] as const;
          const model = new Map<string, (readonly [string, number])[]>(wallets.map((id) => [id, []]));
          const add = (walletId: string, type: string, amount: number) =>
            model.get(walletId)?.push([type, amount]);
          const pending: { depositId: string; walletId: string; amount: number }[] = [];
          let card: { cardId: string; amount: number } | undefined;
          for (const { what, wallet, amount } of steps) {
            later(1_000);
            const [walletId = "", other = ""] = wallet === 0 ? wallets : wallets.toReversed();
            switch (what) {
              case "bank":
                await done(program, "POST /wallets/{walletId}/bank-deposit", { walletId }, { amount });
                add(walletId, "deposit", amount);
                break;
              case "pending":
                pending.push({ depositId: await deposit(program, walletId, amount), walletId, amount });
                add(walletId, "deposit", amount);
                break;
              case "direct":
                await deposit(program, walletId, amount, false);
                add(walletId, "deposit", amount);
                break;
              case "clear":
              case "reverse": {
                const settled = pending.shift();
                if (!settled) break;
                const { depositId } = settled;
                await done(program, `POST /deposits/{depositId}/${what}`, { depositId });
                if (what === "reverse") add(settled.walletId, "deposit_reversal", -settled.amount);
                break;
              }
              case "to wallet": {
                const { transStatus } = await transfer(program, walletId, other, amount);
                if (transStatus !== 1) break;
                add(walletId, "transfer_out", -amount);
                add(other, "transfer_in", amount);
                break;
              }
              case "to card": {
                card ??= { cardId: (await givenCard(program)).cardId, amount: 0 };
                const { transStatus } = await transfer(program, walletId, card.cardId, amount);
                if (transStatus !== 1) break;
                add(walletId, "transfer_out", -amount);
                card.amount += amount;
                break;
              }
              case "sweep":
                if (!card) break;
                await done(
                  program,
                  "POST /cards/{cardId}/close",
                  { cardId: card.cardId },
                  { sweepToWalletId: walletId },
                );
                if (card.amount > 0) add(walletId, "card_sweep", card.amount);
                card = undefined;
            }
          }
          for (const walletId of wallets) {
            const all = (await list(program, walletId, { sort: "asc", limit: "200" })).items;
            expect(all.map(({ type, amount }) => [type, amount])).toEqual(model.get(walletId));
            expect(sum(all)).toBe(await ledgerBalance(program, walletId));
            for (const { orderBy, sort, type, limit, offset } of pages) {
              const found = await list(program, walletId, {
                ...{ orderBy, sort, limit: String(limit), offset: String(offset) },
                ...(type && { type }),
              });
              const matching = all.filter((row) => type === undefined || row.type === type);
              const ordered = ascending(matching, orders[orderBy] as keyof Row);
              const expected = sort === "asc" ? ordered : ordered.toReversed();
              expect(found.total).toBe(matching.length);
              expect(found.items).toEqual(expected.slice(offset, offset + limit));
            }
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});

function ascending(rows: readonly Row[], by: keyof Row): Row[] {
  return rows.toSorted((left, right) => {
    const [one, two] = [left[by] ?? "", right[by] ?? ""];
    if (one !== two) return one < two ? -1 : 1;
    return left.walletTransactionId < right.walletTransactionId ? -1 : 1;
  });
}
