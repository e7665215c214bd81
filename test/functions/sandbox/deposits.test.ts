import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/sandbox/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

async function given() {
  const programId = await givenStoredProgram();
  const walletId = await givenStoredWallet(programId, 50);
  const cardId = await givenStoredCard(programId, 1, 20);
  const call = (
    route: `POST /${string}`,
    path: Record<string, string>,
    body?: object,
    headers: Record<string, string> = {},
  ) => replay(handler, apiEvent({ route, path, caller: { programId }, headers, ...(body && { body }) }));
  return {
    programId,
    walletId,
    cardId,
    onCard: (body: object, id = cardId, headers = {}) =>
      call("POST /cards/{cardId}/deposits", { cardId: id }, body, headers),
    inWallet: (body: object, id = walletId, headers = {}) =>
      call("POST /wallets/{walletId}/deposits", { walletId: id }, body, headers),
    clear: (depositId: string, headers = {}) =>
      call("POST /deposits/{depositId}/clear", { depositId }, undefined, headers),
    reverse: (depositId: string, headers = {}) =>
      call("POST /deposits/{depositId}/reverse", { depositId }, undefined, headers),
    takeBack: (depositId: string, headers = {}) =>
      call("POST /deposits/{depositId}/return", { depositId }, undefined, headers),
  };
}

describe("POST /cards/{cardId}/deposits", () => {
  it("is pending despite the Program's clearing delay, and answers the new balances", async () => {
    const { programId, cardId, onCard } = await given();
    const { status, body } = await onCard({ amount: 30, chain: "bitcoin", asset: "BTC", txHash: "ab" });
    expect(status).toBe(200);
    const { depositId, ...balances } = body.data;
    expect(balances).toEqual({ availableBalance: 20, ledgerBalance: 50 });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, cardId).pendingDepositMinor).toBe(30);
    expect(eventsIn(items).find(({ kind }) => kind === "deposit.pending")?.detail).toMatchObject({
      depositId,
      cardId,
      amountMinor: 30,
      chain: "bitcoin",
      asset: "BTC",
      txHash: "ab",
    });
  });

  it("clears at once where the body says so", async () => {
    const { onCard } = await given();
    expect((await onCard({ amount: 30, pending: false })).body.data).toMatchObject({
      availableBalance: 50,
      ledgerBalance: 50,
    });
  });

  it("goes to suspense on a closed card, whose balances stay as they are", async () => {
    const { programId, onCard, clear, takeBack } = await given();
    const closed = await givenStoredCard(programId, 3);
    const headers = { "Idempotency-Key": "k" };
    const { status, body } = await onCard({ amount: 30 }, closed, headers);
    expect(status).toBe(200);
    const { depositId } = body.data;
    const answer = {
      depositId,
      suspenseId: depositId.replace("dep_", "sus_"),
      availableBalance: 0,
      ledgerBalance: 0,
    };
    expect(body.data).toEqual(answer);
    expect((await onCard({ amount: 30 }, closed, headers)).body.data).toEqual(answer);
    expect((await clear(depositId)).body.data).toEqual(answer);
    expect((await takeBack(depositId)).body.data).toEqual(answer);
    expect((await clear(depositId)).status).toBe(409);
    expect(balancesIn(await expectBooksInOrder(programId), closed).ledgerMinor).toBe(0);
  });

  it.each([
    [{}, 422],
    [{ amount: 0 }, 422],
    [{ amount: 1, pending: "no" }, 400],
  ])("refuses the body %j with %i", async (body, status) => {
    expect((await (await given()).onCard(body)).status).toBe(status);
  });
});

describe("POST /wallets/{walletId}/deposits, and their clearing and reversal", () => {
  it("clears a pending deposit once", async () => {
    const { programId, inWallet, clear, reverse } = await given();
    const { depositId } = (await inWallet({ amount: 30 })).body.data;
    expect((await clear(depositId)).body.data).toEqual({
      depositId,
      availableBalance: 80,
      ledgerBalance: 80,
    });
    for (const again of [await clear(depositId), await reverse(depositId)]) {
      expect([again.status, again.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    }
    await expectBooksInOrder(programId);
  });

  it("reverses a pending deposit once", async () => {
    const { programId, inWallet, clear, reverse } = await given();
    const { depositId } = (await inWallet({ amount: 30 })).body.data;
    expect((await reverse(depositId)).body.data).toEqual({
      depositId,
      availableBalance: 50,
      ledgerBalance: 50,
    });
    for (const again of [await clear(depositId), await reverse(depositId)]) {
      expect([again.status, again.body.code]).toEqual([409, "ILLEGAL_TRANSITION"]);
    }
    await expectBooksInOrder(programId);
  });

  it("returns a cleared deposit once, below zero where its money is spent", async () => {
    const { programId, onCard, takeBack } = await given();
    const { depositId } = (await onCard({ amount: 30, pending: false })).body.data;
    const headers = { "Idempotency-Key": "k" };
    const returned = { depositId, availableBalance: 20, ledgerBalance: 20 };
    expect((await takeBack(depositId, headers)).body.data).toEqual(returned);
    expect((await takeBack(depositId, headers)).body.data).toEqual(returned);
    expect((await takeBack(depositId)).status).toBe(409);
    await expectBooksInOrder(programId);
  });

  it("404: accounts and deposits of another Program; nothing changes", async () => {
    const ours = await given();
    const theirs = await given();
    const { depositId } = (await theirs.inWallet({ amount: 30 })).body.data;
    const before = await storedItems(theirs.programId);
    for (const { status } of [
      await ours.clear(depositId),
      await ours.reverse(depositId),
      await ours.inWallet({ amount: 1 }, theirs.walletId),
      await ours.onCard({ amount: 1 }, theirs.cardId),
      await ours.clear(newId("deposit")),
      await ours.inWallet({ amount: 1 }, newId("wallet")),
    ]) {
      expect(status).toBe(404);
    }
    expect(await storedItems(theirs.programId)).toEqual(before);
  });
});

describe("sandbox deposits with an Idempotency-Key", () => {
  const headers = { "Idempotency-Key": "k" };

  it("get the first answer again, although the balances have changed since", async () => {
    const { programId, walletId, inWallet, clear } = await given();
    const first = await inWallet({ amount: 30 }, walletId, headers);
    const cleared = await clear(first.body.data.depositId, headers);
    await inWallet({ amount: 5, pending: false });
    expect((await inWallet({ amount: 30 }, walletId, headers)).body.data).toEqual(first.body.data);
    expect((await clear(first.body.data.depositId, headers)).body.data).toEqual(cleared.body.data);
    expect((await inWallet({ amount: 31 }, walletId, headers)).body.code).toBe("IDEMPOTENCY_MISMATCH");
    expect(cleared.body.data).toMatchObject({ availableBalance: 80, ledgerBalance: 80 });
    expect(balancesIn(await expectBooksInOrder(programId), walletId).availableMinor).toBe(85);
  });

  it("move money once for ten at once, and answer all of them the same", async () => {
    const { programId, walletId, inWallet } = await given();
    let writes = 0;
    using _ = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      writes += 1;
      return writes % 5 === 0 ? "timeout-after-commit" : undefined;
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => inWallet({ amount: 30, pending: false }, walletId, headers)),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(answers[0]?.body.data.availableBalance).toBe(80);
    expect(balancesIn(await expectBooksInOrder(programId), walletId).availableMinor).toBe(80);
  });

  it("answer twenty simultaneous requests each with its own balances", async () => {
    const { walletId, inWallet } = await given();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        inWallet({ amount: 1, pending: false }, walletId, { "Idempotency-Key": `k${index}` }),
      ),
    );
    const balances = answers.map(({ body }) => body.data.availableBalance).toSorted((a, b) => a - b);
    expect(balances).toEqual(Array.from({ length: 20 }, (_, index) => 51 + index));
  });

  it("do not store a rejected request", async () => {
    const { inWallet, clear } = await given();
    const { depositId } = (await inWallet({ amount: 30 })).body.data;
    await clear(depositId);
    expect((await clear(depositId, headers)).status).toBe(409);
    expect((await clear(depositId, headers)).status).toBe(409);
  });
});
