import { expect, it, vi } from "vitest";
import type * as matching from "../../../shared/settlements/hold-matching.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";

vi.mock("../../../shared/settlements/hold-matching.ts", async (importActual) => {
  const actual = await importActual<typeof matching>();
  const readCycle: typeof actual.readCycle = (programId, cardId, currency, span, most) => {
    expect(most).toBe(20_000);
    return actual.readCycle(programId, cardId, currency, span, 1);
  };
  return { ...actual, readCycle };
});

it("the matching of holds refuses a time with more records than it compares", async () => {
  const program = await givenProgram();
  const path = { cardId: (await givenCard(program)).cardId };
  const match = () => program.call("GET /cards/{cardId}/hold-matching", { path });
  const authorize = () => program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 1 } });
  await authorize();
  expect((await match()).status).toBe(200);
  await authorize();
  const { status, body } = await match();
  const message = "must have at most 20000 records of the Card";
  expect([status, body.errors]).toEqual([422, [{ path: "query.cycleDays", code: "too_big", message }]]);
});
