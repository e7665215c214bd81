import { describe, expect, test } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { cryptoAddresses } from "../../../shared/cards/crypto-addresses.ts";
import {
  givenApprovedCardholder,
  givenCard,
  givenCardholderInStatus,
  givenProgram,
  publishedKeys,
} from "../../harness/given-cards.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";

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

  test("403 COMPLIANCE_STATE for a Cardholder who is not Approved, and nothing changes", async () => {
    for (const status of [0, 2, 3, 4, 5, 6, 7]) {
      const refused = await givenCardholderInStatus(program, status);
      const before = await storedItems(program.programId);
      const answer = await issue({ cardholderId: refused });
      expect([status, answer.status, answer.body.code]).toEqual([status, 403, "COMPLIANCE_STATE"]);
      expect(await storedItems(program.programId)).toEqual(before);
    }
  });
});
