import { describe, expect, it } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/id.ts";
import { issuingKey } from "../../../shared/table/keys.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";
import { operator } from "../given-access.ts";

describe("refuse-cardholder", () => {
  it("blocks the Cardholder's Cards; unblock-cardholder lets the Program close them", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const { cardId, cardholderId } = await givenCard(program);
    const cardIds = [cardId, (await givenCard(program, { cardholderId })).cardId];
    await operator("refuse-cardholder", { programId, cardholderId });
    for (const one of cardIds) {
      const ids = { eventId: newId("event"), authorizationId: newId("hold") };
      const event = { kind: "authorization", programId, cardId: one, amount: 1, ...ids };
      expect(await processor(event as ProcessorEvent)).toMatchObject({ declineReason: "CARD_BLOCKED" });
    }
    const stored = await storedItem(issuingKey.cardholder(programId, cardholderId));
    expect(stored).toMatchObject({ status: 7, blockedAt: expect.any(String) });
    const kinds = (await storedItems(programId)).map(({ kind }) => kind);
    expect(kinds).not.toContain("apply_cardholder_block");
    await operator("unblock-cardholder", { programId, cardholderId });
    const path = { cardId };
    expect((await program.call("POST /cards/{cardId}/close", { path, body: {} })).status).toBe(200);
  });
});
