import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { cards } from "../../../shared/cards/card.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";
import { eventsIn, storedItems } from "../../harness/stored.ts";

function send(programId: string, body: Record<string, unknown>, headers: Record<string, string> = {}) {
  return replay(handler, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body, headers }));
}

async function givenTwoWallets(availableMinor: number) {
  const programId = await givenStoredProgram();
  const source = await givenStoredWallet(programId, availableMinor);
  const destination = await givenStoredWallet(programId);
  const body = { sourceWalletId: source, destinationType: 0, destinationId: destination };
  return { programId, source, destination, body };
}

describe("POST /wallets/transfer", () => {
  describe("200", () => {
    it("moves the amount between two wallets in one round trip, and leaves record, event and entry", async () => {
      const { programId, source, destination, body } = await givenTwoWallets(1_000);
      const { result, cost } = await measure(() =>
        send(programId, { ...body, amount: 400, memo: "rent", externalId: "x-1" }),
      );

      expect(result.status).toBe(200);
      const { transferId, dateCreated, ...data } = result.body.data;
      expect(data).toEqual({
        transStatus: 1,
        sourceWalletId: source,
        destinationType: 0,
        destinationId: destination,
        requestedAmount: 400,
        transferredAmount: 400,
        currency: 0,
        memo: "rent",
        externalId: "x-1",
      });
      expect(cost.roundTrips).toBe(1);
      const items = await expectBooksInOrder(programId);
      expect(balancesIn(items, source).availableMinor).toBe(600);
      expect(balancesIn(items, destination)).toMatchObject({ availableMinor: 400, ledgerMinor: 400 });
      const records = items.filter(({ sk }) => sk === `TRANSFER#${transferId}`);
      expect(records.map(({ pk }) => pk).sort()).toEqual(
        [`${programId}#${source}`, `${programId}#${destination}`].sort(),
      );
      const events = eventsIn(items).filter(({ kind }) => kind === "transfer.completed");
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        occurredAt: dateCreated,
        detail: { transferId, transferredAmountMinor: 400 },
      });
    });

    it.each([1, 2] as const)("pays a card with status %i", async (status) => {
      const programId = await givenStoredProgram();
      const source = await givenStoredWallet(programId, 500);
      const cardId = await givenStoredCard(programId, status);
      const answer = await send(programId, {
        sourceWalletId: source,
        destinationType: 1,
        destinationId: cardId,
        amount: 500,
      });

      expect(answer.body.data).toMatchObject({ transStatus: 1, transferredAmount: 500 });
      const items = await expectBooksInOrder(programId);
      expect(balancesIn(items, cardId)).toMatchObject({ availableMinor: 500, ledgerMinor: 500 });
      expect(balancesIn(items, source).availableMinor).toBe(0);
    });

    it.each([
      [0, "CARD_PENDING"],
      [3, "CARD_CLOSED"],
      [4, "CARD_NOT_ACTIVATED"],
    ] as const)("declines a card with status %i as %s, and records it", async (status, declineReason) => {
      const programId = await givenStoredProgram();
      const source = await givenStoredWallet(programId, 500);
      const cardId = await givenStoredCard(programId, status);
      const body = { sourceWalletId: source, destinationType: 1, destinationId: cardId, amount: 100 };
      const { result, cost } = await measure(() => send(programId, body));

      expect(result.status).toBe(200);
      expect(result.body.data).toMatchObject({ transStatus: 2, transferredAmount: 0, declineReason });
      expect(cost.roundTrips).toBe(2);
      const items = await expectBooksInOrder(programId);
      expect(balancesIn(items, source).availableMinor).toBe(500);
      expect(balancesIn(items, cardId).ledgerMinor).toBe(0);
      expect(items.filter(({ sk }) => sk.startsWith("TRANSFER#"))).toHaveLength(1);
      expect(eventsIn(items).filter(({ kind }) => kind === "transfer.declined")).toHaveLength(1);
      expect(eventsIn(items).filter(({ kind }) => kind === "transfer.completed")).toHaveLength(0);
    });

    it("declines a card that was closed after an earlier transfer to it", async () => {
      const programId = await givenStoredProgram();
      const source = await givenStoredWallet(programId, 500);
      const cardId = await givenStoredCard(programId);
      const body = { sourceWalletId: source, destinationType: 1, destinationId: cardId, amount: 100 };
      expect((await send(programId, body)).body.data.transStatus).toBe(1);
      await transact([cards.at(programId, cardId).update({ set: { issuerCardStatus: 3 } })]);
      expect((await send(programId, body)).body.data.declineReason).toBe("CARD_CLOSED");
      expect(balancesIn(await expectBooksInOrder(programId), cardId).ledgerMinor).toBe(100);
    });

    it("declines more than the wallet has in two round trips, moves nothing, and records it with both wallets", async () => {
      const { programId, source, destination, body } = await givenTwoWallets(99);
      const { result, cost } = await measure(() => send(programId, { ...body, amount: 100 }));

      expect(result.body.data).toMatchObject({
        transStatus: 2,
        requestedAmount: 100,
        transferredAmount: 0,
        declineReason: "INSUFFICIENT_FUNDS",
      });
      expect(cost.roundTrips).toBe(2);
      const items = await expectBooksInOrder(programId);
      expect(balancesIn(items, source).availableMinor).toBe(99);
      expect(balancesIn(items, destination).availableMinor).toBe(0);
      expect(items.filter(({ sk }) => sk.startsWith("TRANSFER#"))).toHaveLength(2);
    });

    it("says that the card is closed where the money is missing too", async () => {
      const programId = await givenStoredProgram();
      const body = {
        sourceWalletId: await givenStoredWallet(programId, 1),
        destinationType: 1,
        destinationId: await givenStoredCard(programId, 3),
        amount: 2,
      };
      expect((await send(programId, body)).body.data.declineReason).toBe("CARD_CLOSED");
    });

    it("transfers what there is where a partial transfer is allowed", async () => {
      const { programId, source, destination, body } = await givenTwoWallets(70);
      const { result, cost } = await measure(() =>
        send(programId, { ...body, amount: 100, allowPartial: true }),
      );

      expect(result.body.data).toMatchObject({ transStatus: 3, requestedAmount: 100, transferredAmount: 70 });
      expect(result.body.data).not.toHaveProperty("declineReason");
      expect(cost.roundTrips).toBe(2);
      const items = await expectBooksInOrder(programId);
      expect(balancesIn(items, source).availableMinor).toBe(0);
      expect(balancesIn(items, destination).availableMinor).toBe(70);
    });

    it("approves the whole amount where partial is allowed and not needed", async () => {
      const { programId, body } = await givenTwoWallets(100);
      const answer = await send(programId, { ...body, amount: 100, allowPartial: true });
      expect(answer.body.data).toMatchObject({ transStatus: 1, transferredAmount: 100 });
    });

    it("declines a partial transfer of nothing", async () => {
      const { programId, body } = await givenTwoWallets(0);
      const answer = await send(programId, { ...body, amount: 1, allowPartial: true });
      expect(answer.body.data).toMatchObject({ transStatus: 2, declineReason: "INSUFFICIENT_FUNDS" });
    });
  });

  describe("404", () => {
    it("does not know a source or destination that does not exist, and changes nothing", async () => {
      const { programId, source, destination } = await givenTwoWallets(100);
      const card = await givenStoredCard(programId);
      const before = await storedItems(programId);
      const attempts = [
        [newId("wallet"), 0, destination],
        [source, 0, newId("wallet")],
        [source, 1, newId("card")],
        [newId("wallet"), 1, newId("card")],
        // Of the other kind: a card is no wallet, nor the other way round.
        [card, 0, destination],
        [source, 0, card],
        [source, 1, destination],
        ["not an id", 0, destination],
      ] as const;
      for (const [sourceWalletId, destinationType, destinationId] of attempts) {
        for (const amount of [1, 1_000]) {
          const answer = await send(programId, { sourceWalletId, destinationType, destinationId, amount });
          expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
        }
      }
      expect(await storedItems(programId)).toEqual(before);
    });

    it("does not know another Program's wallets and cards, and changes nothing in either", async () => {
      const ours = await givenTwoWallets(100);
      const theirs = await givenTwoWallets(100);
      const theirCard = await givenStoredCard(theirs.programId);
      const before = [await storedItems(ours.programId), await storedItems(theirs.programId)];
      for (const body of [
        { ...ours.body, destinationId: theirs.destination },
        { ...ours.body, destinationType: 1, destinationId: theirCard },
        { ...ours.body, sourceWalletId: theirs.source },
        theirs.body,
      ]) {
        expect((await send(ours.programId, { ...body, amount: 1 })).status).toBe(404);
      }
      expect([await storedItems(ours.programId), await storedItems(theirs.programId)]).toEqual(before);
    });

    it("hides wallets from a Tenant-level key", async () => {
      const { body } = await givenTwoWallets(100);
      const event = apiEvent({
        route: "POST /wallets/transfer",
        caller: { level: "tenant" },
        body: { ...body, amount: 1 },
      });
      expect((await replay(handler, event)).status).toBe(404);
    });
  });

  describe("400 and 422", () => {
    it("lists every fault of the body", async () => {
      const { programId, source } = await givenTwoWallets(100);
      const answer = await send(programId, { sourceWalletId: source, destinationType: 2, amount: 0 });
      expect(answer.status).toBe(422);
      expect(answer.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        "body.amount",
        "body.destinationId",
        "body.destinationType",
      ]);
    });

    it("rejects a transfer from a wallet to itself", async () => {
      const { programId, source, body } = await givenTwoWallets(100);
      const answer = await send(programId, { ...body, destinationId: source, amount: 1 });
      expect([answer.status, answer.body.code]).toEqual([422, "VALIDATION_FAILED"]);
    });

    it.each([
      ["a string", "5", 400],
      ["a fraction", 1.5, 422],
      ["a negative one", -1, 422],
      ["more than may be moved at once", 100_000_000_001, 422],
    ])("refuses an amount that is %s", async (_, amount, status) => {
      const { programId, body } = await givenTwoWallets(100);
      expect((await send(programId, { ...body, amount })).status).toBe(status);
    });
  });
});
