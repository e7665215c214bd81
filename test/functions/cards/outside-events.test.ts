import { describe, expect, it } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { OutsideEvent, type OutsideKind } from "../../../shared/contract/outside.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  ada,
  type GivenProgram,
  givenApprovedCardholder,
  givenCardholder,
  givenProgram,
  overwrite,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { eventsIn, storedItem, storedItems } from "../../harness/stored.ts";

/** The events as the relay puts them on the bus. */
async function outsideEvents({ programId }: GivenProgram, kind: OutsideKind): Promise<OutsideEvent[]> {
  const events = eventsIn(await storedItems(programId)).filter((event) => event.kind === kind);
  return events.map(({ detail, ...common }) => OutsideEvent.parse({ ...detail, ...common }));
}

const physical = { cardForm: 1, cardType: 0, nameOnCard: "A LOVELACE", shippingAddress };

async function issue(program: GivenProgram, card: object) {
  const cardholderId = await givenApprovedCardholder(program);
  const { status, body } = await program.call("POST /cards", { body: { cardholderId, ...card } });
  expect(status).toBe(200);
  return { cardholderId, cardId: body.data.cardId as string };
}

describe("what waits for somebody outside", () => {
  it("a submission asks for a review of the applicant as stored", async () => {
    const program = await givenProgram();
    const cardholderId = await givenCardholder(program, { altKycEnabled: 1, nationality: "GB" });
    const path = { cardholderId };
    const route = "POST /cardholders/{cardholderId}/submit";
    expect((await program.call(route, { path, body: { kycToken: "token" } })).status).toBe(200);
    expect((await program.call(route, { path, body: { kycToken: "token" } })).status).toBe(409);
    const [event, ...more] = await outsideEvents(program, "kyc.requested");
    const { kycSession: sessionId } =
      (await storedItem(cardholders.key(program.programId, cardholderId))) ?? {};
    const { altKycEnabled: _, ...applicant } = { ...ada, altKycEnabled: 1, nationality: "GB" };
    expect(event).toMatchObject({ cardholderId, sessionId, kycToken: "token", applicant });
    expect(more).toEqual([]);
  });

  it("the review is of what a change left that came between", async () => {
    const program = await givenProgram();
    const cardholderId = await givenCardholder(program);
    const key = cardholders.key(program.programId, cardholderId);
    let isChanging = false;
    let isChanged = false;
    using _faults = injectFaults(({ input }) => {
      if (isChanged || !JSON.stringify(input).includes("kyc.requested")) return undefined;
      const change = isChanging ? undefined : overwrite(key, { firstName: "Augusta" });
      isChanging = true;
      void change?.then(() => {
        isChanged = true;
      });
      return "conflict";
    });
    await program.call("POST /cardholders/{cardholderId}/submit", { path: { cardholderId }, body: {} });
    const [event] = await outsideEvents(program, "kyc.requested");
    expect(event).toMatchObject({ applicant: { firstName: "Augusta" } });
  });

  it("an issuance asks for its approval, and approved asks for production, once", async () => {
    const program = await givenProgram({ settings: { issuanceApproval: 1 } });
    const { programId } = program;
    const { cardholderId, cardId } = await issue(program, physical);
    const card = { programId, cardholderId, cardId, cardForm: 1, cardType: 0 };
    expect(await outsideEvents(program, "issuance.requested")).toMatchObject([card]);
    expect(await outsideEvents(program, "production.requested")).toEqual([]);
    const approval = { eventId: "approval-1", programId, kind: "card_approval", cardId, cardStatus: 1 };
    for (const _ of [1, 2]) await processor(approval);
    const produced = { ...card, nameOnCard: "A LOVELACE", shippingAddress };
    expect(await outsideEvents(program, "production.requested")).toMatchObject([produced]);
  });

  it("a Card that is approved at once asks for production only if it is physical", async () => {
    const program = await givenProgram();
    await issue(program, { cardForm: 0, cardType: 0 });
    expect(await outsideEvents(program, "production.requested")).toEqual([]);
    const { cardId } = await issue(program, physical);
    expect(await outsideEvents(program, "production.requested")).toMatchObject([{ cardId, shippingAddress }]);
    expect(await outsideEvents(program, "issuance.requested")).toEqual([]);
  });

  it("a card without a recipient is sent to its Cardholder", async () => {
    const program = await givenProgram();
    await issue(program, physical);
    const [event] = await outsideEvents(program, "production.requested");
    expect(event).toMatchObject({ shippingAddress: { ...shippingAddress, recipient: "Ada Lovelace" } });
  });

  it("a declined issuance is not produced", async () => {
    const program = await givenProgram({ settings: { issuanceApproval: 1 } });
    const { cardId } = await issue(program, physical);
    await program.call("POST /cards/{cardId}/approval", { path: { cardId }, body: { cardStatus: 2 } });
    expect(await outsideEvents(program, "production.requested")).toEqual([]);
  });
});
