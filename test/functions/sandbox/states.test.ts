import { beforeEach, describe, expect, it } from "vitest";
import { expectBooksInOrder } from "../../harness/books.ts";
import {
  type GivenProgram,
  givenCard,
  givenCardholderInStatus,
  givenProgram,
  givenWallet,
} from "../../harness/given-cards.ts";

let program: GivenProgram;
beforeEach(async () => {
  program = await givenProgram();
});

const outcome = (cardholderId: string, status: number) =>
  program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path: { cardholderId }, body: { status } });

describe("a Cardholder in the sandbox", () => {
  it("is 0 Pending between the review and its outcome, which can be 6 Error", async () => {
    const cardholderId = await givenCardholderInStatus(program, 3);
    expect((await outcome(cardholderId, 0)).body.data).toMatchObject({ status: 0 });
    const pending = await program.call("GET /cardholders", { query: { status: "0" } });
    expect(pending.body.items).toMatchObject([{ cardholderId, status: 0 }]);
    expect((await outcome(cardholderId, 0)).body.code).toBe("ILLEGAL_TRANSITION");
    expect((await outcome(cardholderId, 6)).body.data).toMatchObject({ status: 6 });
  });
});

describe("a processing error on a Card", () => {
  it("is a transaction or a fee with the status 5, which moves nothing and is listed by its status only", async () => {
    const { cardId } = await givenCard(program);
    const path = { cardId };
    const fail = (body: object) => program.call("POST /cards/{cardId}/processing-errors", { path, body });
    const { transId } = (await fail({ amount: 700 })).body.data;
    const { feeId } = (await fail({ amount: 50, feeType: 2 })).body.data;
    const list = (query: object) => program.call("GET /cards/transactions", { query: { cardId, ...query } });
    const found = [{ transId, transType: 57, transStatus: 5, amount: 700, description: "Processing error" }];
    for (const query of [{ transStatus: "5" }, { transType: "57" }])
      expect((await list(query)).body).toMatchObject({ total: 1, items: found });
    expect((await list({ transStatus: "5" })).body.items[0]).not.toHaveProperty("postDate");
    expect((await list({})).body).toMatchObject({ total: 0, items: [] });
    const fees = (query: object) => program.call("GET /cards/fees", { query: { cardId, ...query } });
    expect((await fees({ feeStatus: "5" })).body.items).toMatchObject([
      { feeId, feeType: 2, transStatus: 5 },
    ]);
    expect((await fees({})).body.total).toBe(0);
    const reversed = await program.call("POST /cards/{cardId}/fees/{feeId}/reverse", {
      path: { cardId, feeId },
    });
    expect(reversed.body.code).toBe("ILLEGAL_TRANSITION");
    const disputed = await program.call("POST /cards/{cardId}/chargebacks", { path, body: { transId } });
    expect(disputed.status).toBe(409);
    await expectBooksInOrder(program.programId);
    const proof = await program.call("GET /cards/{cardId}/balance/proof", { path });
    expect(proof.body.data).toMatchObject({ proven: true, ledgerBalance: 0 });
  });
});

describe("a transfer in the sandbox", () => {
  async function given(destination: object = {}) {
    const sourceWalletId = await givenWallet(program, 1_000);
    const to = await givenWallet(program, 0);
    const common = { sourceWalletId, destinationType: 0, destinationId: to, amount: 400, ...destination };
    const record = async (transStatus: number, headers = {}) =>
      program.call("POST /wallets/transfers", { body: { ...common, transStatus }, headers });
    const decide = (transferId: string, transStatus: number, headers = {}) =>
      program.call("POST /wallets/{walletId}/transfers/{transferId}/outcome", {
        ...{ path: { walletId: sourceWalletId, transferId }, body: { transStatus }, headers },
      });
    const balance = async (walletId: string) =>
      (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;
    const listed = async (walletId: string, transStatus: number) => {
      const query = { transStatus: String(transStatus) };
      const { body } = await program.call("GET /wallets/{walletId}/transfers", { path: { walletId }, query });
      return body.items.map(({ transferId }: { transferId: string }) => transferId) as string[];
    };
    return { sourceWalletId, to, record, decide, balance, listed };
  }

  it("is 4 Error, and moves nothing", async () => {
    const { sourceWalletId, to, record, decide, balance, listed } = await given();
    const { transferId, transStatus, transferredAmount } = (await record(4)).body.data;
    expect([transStatus, transferredAmount]).toEqual([4, 0]);
    for (const walletId of [sourceWalletId, to]) expect(await listed(walletId, 4)).toEqual([transferId]);
    expect([await balance(sourceWalletId), await balance(to)]).toEqual([1_000, 0]);
    expect((await decide(transferId, 1)).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it.each([
    [1, 400],
    [2, 0],
    [4, 0],
  ])("is 0 Pending until it ends in %i", async (status, moved) => {
    const { sourceWalletId, to, record, decide, balance, listed } = await given();
    const { transferId } = (await record(0)).body.data;
    expect(await listed(to, 0)).toEqual([transferId]);
    const key = { "Idempotency-Key": transferId };
    const answers = [await decide(transferId, status, key), await decide(transferId, status, key)];
    for (const { body } of answers)
      expect(body.data).toMatchObject({ transStatus: status, transferredAmount: moved });
    expect((await decide(transferId, status)).body.code).toBe("ILLEGAL_TRANSITION");
    expect([await balance(sourceWalletId), await balance(to)]).toEqual([1_000 - moved, moved]);
    for (const walletId of [sourceWalletId, to]) {
      expect(await listed(walletId, 0)).toEqual([]);
      expect(await listed(walletId, status)).toEqual([transferId]);
    }
    await expectBooksInOrder(program.programId);
  });

  it("that is approved without the money is declined; to a Card it is a load", async () => {
    const poor = await given({ amount: 1_001 });
    const pending = (await poor.record(0)).body.data.transferId;
    expect((await poor.decide(pending, 1)).body.data).toMatchObject({
      ...{ transStatus: 2, transferredAmount: 0 },
    });
    const { cardId } = await givenCard(program);
    const load = await given({ destinationType: 1, destinationId: cardId });
    const { transferId } = (await load.record(0)).body.data;
    expect((await load.decide(transferId, 1)).body.data).toMatchObject({
      transStatus: 1,
      transferredAmount: 400,
    });
    const { items } = (await program.call("GET /cards/transactions", { query: { cardId } })).body;
    expect(items).toMatchObject([{ transType: 80, amount: 400 }]);
    expect((await program.call("GET /webhooks/events", { query: { eventType: "2" } })).body.total).toBe(1);
    await expectBooksInOrder(program.programId);
  });
});
