import { beforeAll, describe, expect, it } from "vitest";
import { cardholderTransitions } from "../../../shared/cardholders/cardholder-status.ts";
import { operate } from "../../harness/administration.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholderInStatus,
  givenCardInStatus,
  givenProgram,
} from "../../harness/given-cards.ts";
import { by, expectRejected, unknownProgram, unknownTenant } from "./expect-rejected.ts";

describe("the operator function", () => {
  let program: GivenProgram;
  let manual: GivenProgram;

  beforeAll(async () => {
    program = await givenProgram();
    manual = await givenProgram({ settings: { issuanceApproval: 1 } });
  });

  const audit = async (of: GivenProgram, action: string) =>
    (await of.call("GET /account/audit-log", { query: { action } })).body.items;

  describe("refuse-cardholder", () => {
    for (const status of [0, 1, 2, 3, 4, 5, 6, 7] as const) {
      const legal = cardholderTransitions.some(
        ({ from, trigger }) => from === status && trigger === "refuse",
      );
      it(`${status}: ${legal ? "leads to 7 and stands in the audit log" : "is refused and changes nothing"}`, async () => {
        const { programId } = program;
        const cardholderId = await givenCardholderInStatus(program, status);
        if (!legal) return expectRejected("refuse-cardholder", { programId, cardholderId });
        expect(await operate("refuse-cardholder", { programId, cardholderId })).toEqual({
          cardholderId,
          status: 7,
        });
        const path = { cardholderId };
        const view = await program.call("GET /cardholders/{cardholderId}", { path });
        expect(view.body.data.status).toBe(7);
        expect(await audit(program, "cardholder.refuse")).toContainEqual(
          expect.objectContaining({
            subjectId: cardholderId,
            actor: by,
            before: { status },
            after: { status: 7 },
          }),
        );
      });
    }

    it("is rejected for unknown Cardholders and those of another Program", async () => {
      const cardholderId = await givenApprovedCardholder(program);
      const { programId } = manual;
      await expectRejected("refuse-cardholder", { programId, cardholderId });
      await expectRejected("refuse-cardholder", { programId: unknownProgram, cardholderId });
    });
  });

  describe("list-issuances and decide-issuance", () => {
    it.each([
      [1, { cardStatus: 1, issuerCardStatus: 1 }],
      [2, { cardStatus: 2, issuerCardStatus: 3 }],
    ])("%d: decides one that waits, once", async (cardStatus, expected) => {
      const { programId } = manual;
      const { cardId } = await givenCard(manual);
      const waiting = async () =>
        (await operate("list-issuances", { programId })).cards.map((one) => one.cardId);
      expect(await waiting()).toContain(cardId);
      expect(await operate("decide-issuance", { programId, cardId, cardStatus })).toEqual({
        cardId,
        cardStatus,
      });
      expect(await waiting()).not.toContain(cardId);
      const view = await manual.call("GET /cards/{cardId}", { path: { cardId } });
      expect(view.body.data).toMatchObject(expected);
      await expectRejected("decide-issuance", { programId, cardId, cardStatus: 2 });
      const action = cardStatus === 1 ? "card.approve" : "card.decline";
      expect(await audit(manual, action)).toMatchObject([{ subjectId: cardId, actor: by }]);
    });

    it("is rejected for a Card of another Program, and for one that needed no approval", async () => {
      const { cardId } = await givenCard(manual);
      const { programId } = program;
      await expectRejected("decide-issuance", { programId, cardId, cardStatus: 2 });
      const active = await givenCardInStatus(program, { cardStatus: 1 });
      await expectRejected("decide-issuance", { programId, cardId: active, cardStatus: 2 });
      await expectRejected("decide-issuance", { programId: unknownProgram, cardId, cardStatus: 2 });
    });
  });

  it("rejects tickets of unknown Tenants", async () => {
    const ticket = { tenantId: unknownTenant, ticketId: "tkt_00000000000000000000000000" };
    await expectRejected("view-ticket", ticket);
    await expectRejected("answer-ticket", { ...ticket, message: "x" });
    await expectRejected("resolve-ticket", ticket);
  });
});
