import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { cryptoAddresses } from "../../../shared/cards/crypto-addresses.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenCardholderInStatus,
  givenDesign,
  givenProgram,
  publishedKeys,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { storedEvents, storedItem, storedItems } from "../../harness/stored.ts";

const program = await givenProgram();
const cardholderId = await givenApprovedCardholder(program);
const issue = (details: object = {}) =>
  program.call("POST /cards", { body: { cardholderId, cardForm: 0, cardType: 0, ...details } });
const storedCard = (cardId: string) => storedItem(cards.key(program.programId, cardId));

describe("POST /cards", () => {
  test("200: a virtual card is approved and active at once, with its deposit addresses", async () => {
    const before = new Date();
    const { status, body } = await issue({ externalId: "card-1" });
    const {
      cardId,
      cardToken,
      maskedCardNumber,
      createdDatetime,
      creditorReference,
      plasticId,
      cryptoAddresses: addresses,
      ...rest
    } = body.data;
    expect(status).toBe(200);
    expect(rest).toEqual({
      cardholderId,
      cardStatus: 1,
      issuerCardStatus: 1,
      blocked: false,
      cardForm: 0,
      cardType: 0,
      expiryMonth: before.getUTCMonth() + 1,
      expiryYear: before.getUTCFullYear() + 3,
      nameOnCard: "Ada Lovelace",
      cardHolderLastName: "Lovelace",
      externalId: "card-1",
      currency: 0,
    });
    expect(cardId).toMatch(/^crd_[0-9A-Z]{26}$/);
    expect(plasticId).toMatch(/^plc_[0-9A-Z]{26}$/);
    expect(cardToken).toBe(cardId.slice("crd_".length));
    expect(creditorReference).toMatch(/^RF\d\dH[0-9A-Z]{20}$/);
    expect(maskedCardNumber).toMatch(/^400000\*{6}\d{4}$/);
    expect(Date.parse(createdDatetime)).toBeGreaterThanOrEqual(before.getTime());
    expect(addresses.map(({ chain }: { chain: string }) => chain)).toEqual(["bitcoin", "ethereum", "tron"]);
  });

  test("200: the answer is the card as viewed, with no balance", async () => {
    const issued = await issue();
    const path = { cardId: issued.body.data.cardId };
    const viewed = await program.call("GET /cards/{cardId}", { path });
    expect(viewed.body.data).toEqual(issued.body.data);
    const balance = await program.call("GET /cards/{cardId}/balance", { path });
    expect(balance.body.data).toEqual({ availableBalance: 0, ledgerBalance: 0, currency: 0 });
    const status = await program.call("GET /cards/{cardId}/status", { path });
    expect(status.body.data).toEqual({ status: 1 });
  });

  test("200: a physical card is approved but not activated, and valid for four years", async () => {
    const { status, body } = await issue({ cardForm: 1, shippingAddress, nameOnCard: "A. LOVELACE" });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ cardStatus: 1, issuerCardStatus: 4, nameOnCard: "A. LOVELACE" });
    expect(body.data.expiryYear).toBe(new Date().getUTCFullYear() + 4);
    expect(body.data).not.toHaveProperty("shippingAddress");
    expect(await storedCard(body.data.cardId)).toMatchObject({ shippingAddress });
  });

  test("200: the Program's BIN and currency", async () => {
    const euros = await givenProgram({ currency: 3, settings: { cardBin: "555555" } });
    const card = await givenCard(euros);
    expect(card.maskedCardNumber).toMatch(/^555555\*{6}\d{4}$/);
    expect(card.currency).toBe(3);
  });

  test("200: nothing of the number is stored but its first six and last four digits", async () => {
    const { body } = await issue();
    const stored = JSON.stringify(await storedCard(body.data.cardId));
    expect(stored).not.toMatch(/\d{12,}/);
    expect(JSON.parse(stored)).toMatchObject({
      bin: "400000",
      lastFour: body.data.maskedCardNumber.slice(-4),
    });
    expect(Buffer.byteLength(stored)).toBeLessThan(1024);
  });

  test("200: says so once, and counts the card as open", async () => {
    const own = await givenProgram();
    const card = await givenCard(own);
    expect((await storedEvents(own.programId)).filter(({ kind }) => kind === "card.status_changed")).toEqual([
      {
        kind: "card.status_changed",
        detail: { cardId: card.cardId, cardStatus: 1, issuerCardStatus: 1 },
      },
    ]);
    const cardholder = await storedItem(cardholders.key(own.programId, card.cardholderId));
    expect(cardholder?.openCards).toBe(1);
  });

  test("200: cards issued at once have addresses of their own, from indexes without end or gap", async () => {
    const own = await givenProgram();
    const holder = await givenApprovedCardholder(own);
    const cards = await Promise.all(
      Array.from({ length: 12 }, () => givenCard(own, { cardholderId: holder })),
    );
    const indexes = Array.from({ length: 12 }, (_, index) => cryptoAddresses(publishedKeys, index));
    const byAddress = (addresses: unknown) => JSON.stringify(addresses);
    expect(cards.map((card) => byAddress(card.cryptoAddresses)).toSorted()).toEqual(
      indexes.map(byAddress).toSorted(),
    );
    const cardholder = await storedItem(cardholders.key(own.programId, holder));
    expect(cardholder?.openCards).toBe(12);
  });

  test("200: under manual approval the card waits, without addresses and without an event", async () => {
    const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
    const card = await givenCard(manual);
    expect(card).toMatchObject({ cardStatus: 0, issuerCardStatus: 0, cryptoAddresses: [] });
    const events = await storedEvents(manual.programId);
    expect(events.filter(({ kind }) => kind === "card.status_changed")).toEqual([]);
  });

  test("403 COMPLIANCE_STATE for a Cardholder who is not Approved, and nothing changes", async () => {
    for (const status of [0, 2, 3, 4, 5, 6, 7]) {
      const refused = await givenCardholderInStatus(program, status);
      const before = await storedItems(program.programId);
      const answer = await issue({ cardholderId: refused });
      expect([status, answer.status, answer.body.code]).toEqual([status, 403, "COMPLIANCE_STATE"]);
      expect(await storedItems(program.programId)).toEqual(before);
    }
  });

  test("404: an unknown Cardholder, with an id of any form", async () => {
    for (const unknown of ["chd_01J9ZC3P2V8Q4N6T0B5W7XKD1M", "x", (await givenCard(program)).cardId]) {
      const { status, body } = await issue({ cardholderId: unknown });
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
    }
  });

  test("409 DESIGN_NOT_APPROVED for an empty, a pending and a rejected slot", async () => {
    const own = await givenProgram({ approvedSlots: [2] });
    const holder = await givenApprovedCardholder(own);
    await givenDesign(own.programId, 1, 0);
    const before = await storedItems(own.programId);
    const inSlot = (cardType: number) =>
      own.call("POST /cards", { body: { cardholderId: holder, cardForm: 0, cardType } });
    expect((await inSlot(0)).body.code).toBe("DESIGN_NOT_APPROVED");
    expect((await inSlot(1)).status).toBe(409);
    await givenDesign(own.programId, 1, 2);
    expect((await inSlot(1)).body.code).toBe("DESIGN_NOT_APPROVED");
    expect(await storedItems(own.programId)).toEqual(before);
    expect((await inSlot(2)).status).toBe(200);
  });

  test("422: a name that no bureau prints; a Cardholder with such a name needs another on the card", async () => {
    expect((await issue({ nameOnCard: "Ада" })).status).toBe(422);
    const holder = await givenApprovedCardholder(program, { firstName: "小龍", lastName: "李" });
    const { status, body } = await issue({ cardholderId: holder });
    expect([status, body.errors[0].path]).toEqual([422, "body.nameOnCard"]);
    const named = await issue({ cardholderId: holder, nameOnCard: "LI XIAOLONG" });
    expect(named.body.data).toMatchObject({ nameOnCard: "LI XIAOLONG", cardHolderLastName: "李" });
  });
});
