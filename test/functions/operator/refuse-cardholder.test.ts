import { describe, expect, it } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { CardholderStatus } from "../../../shared/contract/enums.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import {
  type GivenProgram,
  givenCard,
  givenCardholderInStatus,
  givenProgram,
} from "../../harness/given-cards.ts";
import { storedEvents, storedItem, storedItems } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";

describe("refuse-cardholder", () => {
  it("blocks the Cardholder's Cards; unblock-cardholder lets the Program close them", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const { cardId, cardholderId } = await givenCard(program);
    const cardIds = [cardId, (await givenCard(program, { cardholderId })).cardId];
    await operate("refuse-cardholder", { programId, cardholderId });
    for (const one of cardIds) {
      const ids = { eventId: newId("event"), authorizationId: newId("hold") };
      const event = { kind: "authorization", programId, cardId: one, amount: 1, ...ids };
      expect(await processor(event as ProcessorEvent)).toMatchObject({ declineReason: "CARD_BLOCKED" });
    }
    expect(await storedEvents(programId)).toContainEqual({
      kind: "cardholder.blocked",
      detail: { cardholderId },
    });
    const stored = await storedItem(cardholders.key(programId, cardholderId));
    expect(stored).toMatchObject({ status: 7, blockedAt: expect.any(String) });
    const kinds = (await storedItems(programId)).map(({ kind }) => kind);
    expect(kinds).not.toContain("apply_cardholder_block");
    await operate("unblock-cardholder", { programId, cardholderId });
    const path = { cardId };
    expect((await program.call("POST /cards/{cardId}/close", { path, body: {} })).status).toBe(200);
  });

  const changes: Record<string, (program: GivenProgram, cardholderId: string) => Promise<unknown>> = {
    "is approved": ({ programId }, cardholderId) => {
      const ids = { eventId: newId("event"), programId, cardholderId };
      return processor({ kind: "kyc_outcome", status: CardholderStatus.approved, ...ids });
    },
    "is blocked": ({ programId }, cardholderId) => operate("block-cardholder", { programId, cardholderId }),
  };

  it.each(Object.keys(changes))("declines a Cardholder that %s at the same moment", async (name) => {
    const program = await givenProgram();
    const { programId } = program;
    const cardholderId = await givenCardholderInStatus(program, CardholderStatus.underReview);
    const held = holdCall((input) => input.includes("cardholder.refuse"));
    const refusing = operate("refuse-cardholder", { programId, cardholderId });
    await held.reached;
    await changes[name]?.(program, cardholderId);
    held.release();
    expect(await refusing).toEqual({ cardholderId, status: CardholderStatus.adminDecline });
    const stored = await storedItem(cardholders.key(programId, cardholderId));
    expect(stored).toMatchObject({ status: CardholderStatus.adminDecline, blockedAt: expect.any(String) });
    const kinds = (await storedEvents(programId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "cardholder.blocked")).toHaveLength(1);
    const listed = (await program.call("GET /cardholders", { query: { status: "7" } })).body.items;
    expect(listed).toMatchObject([{ cardholderId }]);
  });

  it("rejects a Cardholder that is deleted at the same time", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const cardholderId = await givenCardholderInStatus(program, CardholderStatus.approved);
    const held = holdCall((input) => input.includes("cardholder.refuse"));
    const refusing = operate("refuse-cardholder", { programId, cardholderId });
    await held.reached;
    await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
    held.release();
    await expect(refusing).rejects.toThrow(expect.objectContaining({ name: "CommandRejected" }));
  });
});
