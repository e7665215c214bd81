import { describe, expect, test } from "vitest";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";

const program = await givenProgram();
const { cardId } = await givenCard(program);
const views = ["GET /cards/{cardId}", "GET /cards/{cardId}/status", "GET /cards/{cardId}/balance"] as const;

describe("views of a card", () => {
  for (const route of views) {
    test(`200: ${route} asks the table once`, async () => {
      const { result, cost } = await measure(() => program.call(route, { path: { cardId } }));
      expect([result.status, cost.calls.length, cost.readUnits]).toEqual([200, 1, 1]);
    });
  }
});
