import { describe, expect, test } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

async function given() {
  const program = await givenProgram();
  const cardId = (await givenCard(program)).cardId as string;
  return { program, cardId };
}

const lastFour = async (program: GivenProgram, cardId: string) => {
  const { body } = await program.call("GET /cards/{cardId}", { path: { cardId } });
  return String(body.data.maskedCardNumber).slice(-4);
};

const found = async (program: GivenProgram, query: Record<string, string>) => {
  const { status, body } = await program.call("GET /cards", { query });
  expect(status).toBe(200);
  expect(body.total).toBe(body.items.length);
  return body.items.map(({ cardId }: { cardId: string }) => cardId);
};

const replace = (program: GivenProgram, cardId: string) =>
  program.call("POST /cards/{cardId}/replace", { path: { cardId }, body: { reason: "lost" } });

describe("a Card is found by its last four digits", () => {
  test("also when it is replaced and held at once, again and again", async () => {
    const { program, cardId } = await given();
    for (let round = 0; round < 6; round += 1) {
      const status = round % 2 === 0 ? 2 : 1;
      const hold = program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status } });
      const answers = await Promise.all([replace(program, cardId), hold]);
      for (const answer of answers) expect([200, 409]).toContain(answer.status);
      expect(await found(program, {})).toEqual([cardId]);
      expect(await found(program, { lastFour: await lastFour(program, cardId) })).toEqual([cardId]);
    }
  });
});
