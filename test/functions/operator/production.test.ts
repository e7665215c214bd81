import { beforeAll, describe, expect, it } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { unproduced } from "../../../shared/cards/outside-requests.ts";
import { isLuhnValid } from "../../../shared/contract/luhn.ts";
import type { PublicJwk } from "../../../shared/contract/vault.ts";
import { listBatches, makeBatch } from "../../../shared/plastics/production.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenCard, givenProgram, shippingAddress } from "../../harness/given-cards.ts";
import { givenCopies } from "../../harness/given-copies.ts";
import { givenDevice } from "../../harness/given-device.ts";
import { vaultFault } from "../../harness/given-vault.ts";
import { storedItems } from "../../harness/stored.ts";

const physical = { cardForm: 1, shippingAddress };

interface Embossed {
  readonly cardId: string;
  readonly cardNumber: string;
}

let bureau: Awaited<ReturnType<typeof givenDevice>>;

beforeAll(async () => {
  bureau = await givenDevice();
});

function givenCards(program: GivenProgram, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async () => (await givenCard(program, physical)).cardId));
}

function exportBatch({ programId }: GivenProgram, more: object = {}) {
  return operate("export-production", { programId, publicKey: bureau.publicKey, ...more });
}

async function cardsIn(jwe: string | undefined): Promise<Embossed[]> {
  return (await bureau.open(jwe ?? "")).content.cards;
}

describe("export-production", () => {
  it("has every physical Card that is in no batch, for the bureau alone", async () => {
    const program = await givenProgram();
    const card = await givenCard(program, { ...physical, nameOnCard: "A LOVELACE" });
    await givenCard(program);
    const exported = await exportBatch(program);
    expect(exported).toMatchObject({ cards: 1, more: false });
    const { header, content } = await bureau.open(exported.jwe ?? "");
    expect(header).toMatchObject({ alg: "ECDH-ES", enc: "A256GCM" });
    const { cardId, expiryMonth, expiryYear, maskedCardNumber } = card;
    expect(content).toEqual({
      batchId: exported.batchId,
      cards: [
        {
          ...{ cardId, plasticId: card.plasticId, expiryMonth, expiryYear, nameOnCard: "A LOVELACE" },
          cardNumber: expect.stringMatching(String(maskedCardNumber).replaceAll("*", "\\d")),
          cvv: expect.stringMatching(/^\d{3}$/),
          serviceCode: "201",
          stripeCvv: expect.stringMatching(/^\d{3}$/),
          chipCvv: expect.stringMatching(/^\d{3}$/),
          shippingAddress: { ...shippingAddress, recipient: "Ada Lovelace" },
        },
      ],
    });
    expect(isLuhnValid(content.cards[0].cardNumber)).toBe(true);
    const stored = JSON.stringify([await storedItems(program.programId), exported]);
    expect(stored).not.toContain(content.cards[0].cardNumber);
  });

  it("puts a Card into one batch, and repeats a batch", async () => {
    const program = await givenProgram();
    const cardIds = await givenCards(program, 2);
    const first = await exportBatch(program);
    expect(await exportBatch(program)).toEqual({ cards: 0, more: false });
    const [later] = await givenCards(program, 1);
    const second = await exportBatch(program);
    expect((await cardsIn(second.jwe)).map(({ cardId }) => cardId)).toEqual([later]);
    const again = await exportBatch(program, { batchId: first.batchId });
    expect(again).toMatchObject({ batchId: first.batchId, cards: 2 });
    const cards = await cardsIn(first.jwe);
    expect(cards.map(({ cardId }) => cardId)).toEqual(cardIds.toSorted());
    expect(await cardsIn(again.jwe)).toEqual(cards);
    const { batches } = await operate("list-production", { programId: program.programId });
    expect(batches.map(({ batchId, cards }) => [batchId, cards])).toEqual([
      [first.batchId, 2],
      [second.batchId, 1],
    ]);
    const after = { programId: program.programId, after: first.batchId };
    expect((await operate("list-production", after)).batches).toEqual(batches.slice(1));
  });

  it("leaves out Cards that are virtual, pending, declined or closed", async () => {
    const program = await givenProgram({ settings: { issuanceApproval: 1 } });
    const [pending, declined, closed, approved] = await givenCards(program, 4);
    const decide = (cardId: string | undefined, cardStatus: number) =>
      program.call("POST /cards/{cardId}/approval", { path: { cardId: cardId ?? "" }, body: { cardStatus } });
    await decide(declined, 2);
    for (const cardId of [closed, approved]) await decide(cardId, 1);
    await program.call("POST /cards/{cardId}/close", { path: { cardId: closed ?? "" }, body: {} });
    expect((await cardsIn((await exportBatch(program)).jwe)).map(({ cardId }) => cardId)).toEqual([approved]);
    await decide(pending, 1);
    expect((await cardsIn((await exportBatch(program)).jwe)).map(({ cardId }) => cardId)).toEqual([pending]);
  });

  it("leaves out of a repeated batch what was closed since, and says how many", async () => {
    const program = await givenProgram();
    const cardIds = (await givenCards(program, 3)).toSorted();
    const { batchId } = await exportBatch(program);
    const close = (cardId = "") => program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    await close(cardIds[1]);
    const again = await exportBatch(program, { batchId });
    expect(again).toMatchObject({ batchId, cards: 2, closed: 1 });
    const left = [cardIds[0], cardIds[2]];
    expect((await cardsIn(again.jwe)).map(({ cardId }) => cardId)).toEqual(left);
    for (const cardId of left) await close(cardId);
    expect(await exportBatch(program, { batchId })).toEqual({ batchId, cards: 0, closed: 3, more: false });
    const { batches } = await operate("list-production", { programId: program.programId });
    expect(batches).toMatchObject([{ batchId, cards: 3 }]);
  });

  it("a batch that was made, and whose answer was lost, is had again", async () => {
    const program = await givenProgram();
    const [cardId] = await givenCards(program, 1);
    vaultFault.next = "after";
    await expect(exportBatch(program)).rejects.toThrow(/Repeat the command with "batchId": "bat_/);
    expect(await exportBatch(program)).toEqual({ cards: 0, more: false });
    const { batches } = await operate("list-production", { programId: program.programId });
    const again = await exportBatch(program, { batchId: batches[0]?.batchId });
    expect(await cardsIn(again.jwe)).toMatchObject([{ cardId }]);
  });

  it("rejects an unknown Program or batch, and a key that is none, before it makes a batch", async () => {
    const program = await givenProgram();
    await givenCards(program, 1);
    const off = { ...bureau.publicKey, y: bureau.publicKey.x } as PublicJwk;
    await expect(exportBatch(program, { publicKey: off })).rejects.toThrow("is not a point of P-256");
    await expect(exportBatch(program, { batchId: newId("batch") })).rejects.toThrow("does not exist");
    await expect(exportBatch({ ...program, programId: newId("program") })).rejects.toThrow("does not exist");
    expect(await exportBatch(program)).toMatchObject({ cards: 1 });
  });

  it("is in the Tenant's audit log, with the key's thumbprint", async () => {
    const program = await givenProgram();
    await givenCards(program, 1);
    const { batchId } = await exportBatch(program);
    const { body } = await program.call("GET /account/audit-log");
    expect(body.items).toMatchObject([
      { action: "production.export", subjectId: batchId, after: { cards: 1, publicKey: expect.any(String) } },
    ]);
  });
});

describe("a batch", () => {
  async function givenWaiting(count: number): Promise<{ programId: string; cardIds: string[] }> {
    const program = await givenProgram();
    const { programId } = program;
    const { cardId } = await givenCard(program, physical);
    const keys = [cards.key(programId, cardId), unproduced.at(programId, cardId).key];
    return { programId, cardIds: [cardId, ...(await givenCopies(cardId, count - 1, keys))].toSorted() };
  }

  it("has at most so many Cards, in several transactions; the others wait", async () => {
    const { programId, cardIds } = await givenWaiting(130);
    const first = await makeBatch(programId, 120);
    expect(first?.cardIds).toEqual(cardIds.slice(0, 120));
    expect((await makeBatch(programId, 120))?.cardIds).toEqual(cardIds.slice(120));
    expect(await makeBatch(programId, 120)).toBeUndefined();
  });

  it("that ends between its transactions loses no Card, and has none twice", async () => {
    const { programId, cardIds } = await givenWaiting(130);
    // The second transaction of the batch is not answered.
    let transactions = 0;
    {
      using _faults = injectFaults(({ command }) => {
        if (command !== "TransactWriteItems") return undefined;
        transactions += 1;
        return transactions > 1 ? "server-error" : undefined;
      });
      await expect(makeBatch(programId, 1_000)).rejects.toThrow();
    }
    expect(await listBatches(programId, 10)).toMatchObject([{ cardIds: cardIds.slice(0, 99) }]);
    const rest = await makeBatch(programId, 1_000);
    expect(rest?.cardIds).toEqual(cardIds.slice(99));
  });

  it("of several at once, each Card is in one", async () => {
    const { programId, cardIds } = await givenWaiting(30);
    const batches = await Promise.all([1, 2, 3, 4].map(() => makeBatch(programId, 1_000)));
    expect(batches.flatMap((batch) => batch?.cardIds ?? []).toSorted()).toEqual(cardIds);
  });

  it("whose answers from the table are lost is made once", async () => {
    const { programId, cardIds } = await givenWaiting(3);
    let transactions = 0;
    using _faults = injectFaults(({ command }) => {
      if (command !== "TransactWriteItems") return undefined;
      transactions += 1;
      return transactions % 2 === 1 ? "timeout-after-commit" : undefined;
    });
    expect((await makeBatch(programId, 1_000))?.cardIds).toEqual(cardIds);
  });
});
