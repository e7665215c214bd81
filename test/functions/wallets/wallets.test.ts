import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";

const call = (options: EventOptions) => replay(handler, apiEvent(options));

describe("POST /wallets", () => {
  it("creates an empty wallet in the Program's currency, readable at once", async () => {
    const caller = { programId: await givenStoredProgram(), currency: 3 } as const;
    const { result, cost } = await measure(() =>
      call({ route: "POST /wallets", caller, body: { name: "Float" } }),
    );
    expect(result.status).toBe(200);
    expect(result.body.data).toMatchObject({
      name: "Float",
      walletCurrencyId: 3,
      availableBalance: 0,
      ledgerBalance: 0,
    });
    expect(cost.roundTrips).toBe(1);
    const { walletId } = result.body.data;
    const view = await call({ route: "GET /wallets/{walletId}", caller, path: { walletId } });
    expect(view.body.data).toEqual(result.body.data);
  });
});

describe("GET /wallets", () => {
  it("lists all wallets of the Program with their balances, oldest first, and no other's", async () => {
    const programId = await givenStoredProgram();
    const walletIds = [];
    for (const amount of [5, 0, 7]) walletIds.push(await givenStoredWallet(programId, amount));
    await givenStoredWallet(await givenStoredProgram(), 9);
    const { result, cost } = await measure(() => call({ route: "GET /wallets", caller: { programId } }));
    expect(result.body).toMatchObject({ status: "success", total: 3, limit: 3, offset: 0 });
    expect(result.body.items.map((item: { walletId: string }) => item.walletId)).toEqual(walletIds);
    expect(result.body.items.map((item: { ledgerBalance: number }) => item.ledgerBalance)).toEqual([5, 0, 7]);
    expect(cost.roundTrips).toBeLessThanOrEqual(3);
  });

  it("lists more wallets than one batch of reads can hold", async () => {
    const programId = await givenStoredProgram();
    await Promise.all(Array.from({ length: 120 }, () => givenStoredWallet(programId)));
    const answer = await call({ route: "GET /wallets", caller: { programId } });
    expect(answer.body.total).toBe(120);
    expect(new Set(answer.body.items.map((item: { walletId: string }) => item.walletId)).size).toBe(120);
  });
});

describe("GET /wallets/{walletId}", () => {
  it("shows the balances, in one round trip", async () => {
    const programId = await givenStoredProgram();
    const walletId = await givenStoredWallet(programId, 1_234);
    const { result, cost } = await measure(() =>
      call({ route: "GET /wallets/{walletId}", caller: { programId }, path: { walletId } }),
    );
    expect(result.body.data).toMatchObject({ walletId, availableBalance: 1_234, ledgerBalance: 1_234 });
    expect(cost.roundTrips).toBe(1);
  });
});

describe("POST /wallets/{walletId}/bank-deposit", () => {
  const deposit = (programId: string, walletId: string, body: object) =>
    call({ route: "POST /wallets/{walletId}/bank-deposit", caller: { programId }, path: { walletId }, body });

  it("clears at once where the Program has no clearing delay", async () => {
    const programId = await givenStoredProgram(0);
    const walletId = await givenStoredWallet(programId);
    const { result, cost } = await measure(() =>
      deposit(programId, walletId, { amount: 300, reference: "invoice 7", externalId: "e" }),
    );
    expect(result.body.data).toMatchObject({ transStatus: 1, amount: 300, currency: 0 });
    expect(cost.roundTrips).toBe(2);
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, walletId)).toMatchObject({ availableMinor: 300, ledgerMinor: 300 });
    expect(items.filter(({ kind }) => kind === "deposit.cleared")).toHaveLength(1);
    expect(items.find(({ sk }) => sk === "DEPOSIT")).toMatchObject({
      reference: "invoice 7",
      externalId: "e",
    });
    expect(items.filter(({ sk }) => sk === "DEADLINE")).toHaveLength(0);
  });

  it("is pending until the Program's clearing delay has passed", async () => {
    const programId = await givenStoredProgram(3_600);
    const walletId = await givenStoredWallet(programId);
    const answer = await deposit(programId, walletId, { amount: 300 });
    expect(answer.body.data.transStatus).toBe(0);
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, walletId)).toEqual({
      availableMinor: 0,
      heldMinor: 0,
      pendingDepositMinor: 300,
      ledgerMinor: 300,
    });
    const dueAt = new Date(Date.parse(answer.body.data.dateCreated) + 3_600_000).toISOString();
    expect(items.find(({ sk }) => sk === "DEADLINE")).toMatchObject({
      kind: "clear_deposit",
      dueAt: `${dueAt}#${answer.body.data.depositId}`,
      dueShard: expect.stringMatching(/^DUE#urgent#(\d|1[0-5])$/),
    });
    expect(items.filter(({ kind }) => kind === "deposit.pending")).toHaveLength(1);
  });
});
