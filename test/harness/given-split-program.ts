import { handler as controls } from "../../functions/controls/handler.ts";
import { handler } from "../../functions/processor-events/handler.ts";
import type { ControlRules } from "../../shared/contract/controls.ts";
import { layOutUsage, learnSplit } from "../../shared/controls/lay-out-usage.ts";
import { readProgramScope } from "../../shared/controls/read-controls.ts";
import { usageParts } from "../../shared/controls/usage.ts";
import { newId } from "../../shared/platform/id.ts";
import { apiEvent } from "./api-event.ts";
import { givenActiveControls } from "./given-active-controls.ts";
import { givenStoredCard, givenStoredProgram } from "./given-stored.ts";
import { replay } from "./replay.ts";

type Answer = Readonly<Record<string, unknown>>;

/** A Program under one velocity of its own, with Cards that have enough money. */
export async function givenSplitProgram(velocity: NonNullable<ControlRules["velocity"]>, cardCount = 4) {
  const programId = await givenStoredProgram();
  const cardIds = await Promise.all(
    Array.from({ length: cardCount }, () => givenStoredCard(programId, 1, 1_000_000_000)),
  );
  const [cardId = ""] = cardIds;
  const [controlId = ""] = await givenActiveControls({ programId, cardId }, [
    { owner: "program", rules: { velocity } },
  ]);
  const send = (event: object): Promise<Answer> =>
    handler({ eventId: newId("event"), programId, cardId, ...event }) as Promise<Answer>;
  const ofControl = async (
    route: "GET /controls/{controlId}/usage" | "GET /controls/{controlId}/transactions",
    query?: Record<string, string>,
  ) => {
    const path = { controlId };
    return (await replay(controls, apiEvent({ route, path, caller: { programId }, ...(query && { query }) })))
      .body;
  };
  return {
    programId,
    cardIds,
    controlId,
    send,
    authorize: (amount: number, authorizationId = newId("hold"), more: object = {}) =>
      send({ kind: "authorization", authorizationId, amount, ...more }),
    /** Lays the usage out as contention would: over parts, if each can have enough of these. */
    split: async (amountMinor = 1) => {
      const own = await usageParts.at(programId, 0).get();
      await layOutUsage(programId, await readProgramScope(programId, own), amountMinor);
    },
    parts: async () => (await usageParts.at(programId, 0).get())?.split?.parts ?? 1,
    /** As a new process does. */
    forget: () => learnSplit(programId),
    used: async () => (await ofControl("GET /controls/{controlId}/usage")).data.used,
    /** The sum of what the control lists. */
    listed: async () => {
      const sum = { amount: 0, count: 0 };
      for (let offset = 0; ; offset += 200) {
        const query = { limit: "200", offset: String(offset) };
        const { items } = await ofControl("GET /controls/{controlId}/transactions", query);
        for (const { amount, count } of items) {
          sum.amount += amount;
          sum.count += count;
        }
        if (items.length < 200) return sum;
      }
    },
  };
}
