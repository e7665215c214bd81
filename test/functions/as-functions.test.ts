import { expect, it, onTestFinished } from "vitest";
import { tablePermissions } from "../../infra/constructs/table-permissions.ts";
import { denied } from "../harness/function-permissions.ts";
import { givenCard, givenProgram } from "../harness/given-cards.ts";

it("a handler of the tests has its function's rights to the tables, and no others", async () => {
  const program = await givenProgram();
  const { cardId } = await givenCard(program);
  const view = () => program.call("GET /cards/{cardId}", { path: { cardId } });
  expect((await view()).status).toBe(200);
  const granted = { ...tablePermissions.cards };
  onTestFinished(() => void Object.assign(tablePermissions.cards, granted));
  Object.assign(tablePermissions.cards, { issuing: [] });
  expect((await view()).status).toBe(500);
  expect(denied.splice(0)).toContain(`cards: GetItem on ${process.env.ISSUING_TABLE}`);
});
