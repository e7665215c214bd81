import { beforeAll, expect, test } from "vitest";
import { compareLists } from "../../infra/commands/audit/program-lists.ts";
import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { deposits } from "../../shared/deposits/deposit.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenProgram,
  givenWallet,
  overwrite,
} from "../harness/given-cards.ts";
import { person } from "../harness/person.ts";

let program: GivenProgram;

beforeAll(async () => {
  program = await givenProgram();
});

const rebuild = () =>
  compareLists(program.programId, { isRebuilt: true, onList: () => {}, onOvertaken: () => {} });
const found = async (route: "GET /cardholders" | "GET /cards" | "GET /deposits", externalId: string) => {
  const { status, body } = await program.call(route, { query: { externalId } });
  expect(status).toBe(200);
  const id = { "GET /cardholders": "cardholderId", "GET /cards": "cardId", "GET /deposits": "depositId" }[
    route
  ];
  return (body.items as Record<string, string>[]).map((row) => row[id]).toSorted();
};

test("doubles from before stay, are all found once the lists are rebuilt, and a new one is 409", async () => {
  const { programId } = program;
  const deleted = await givenCardholder(program);
  await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId: deleted } });
  const owner = await givenApprovedCardholder(program);
  const second = await givenCardholder(program);
  for (const cardholderId of [deleted, owner, second])
    await overwrite(cardholders.key(programId, cardholderId), { externalId: "twice" });
  const cardIds: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { cardId } = await givenCard(program, { cardholderId: owner });
    await overwrite(cards.key(programId, cardId), { externalId: "twice" });
    cardIds.push(cardId);
  }
  const walletId = await givenWallet(program, 0);
  const depositIds: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { data } = (
      await program.call("POST /wallets/{walletId}/bank-deposit", { path: { walletId }, body: { amount: 5 } })
    ).body;
    await overwrite(deposits.key(programId, data.depositId), { externalId: "twice" });
    depositIds.push(data.depositId);
  }
  expect(await found("GET /cardholders", "twice")).toEqual([]);

  // Once more changes nothing.
  for (let count = 0; count < 2; count += 1) {
    expect([...(await rebuild()).values()].flat()).toEqual([]);
    expect(await found("GET /cardholders", "twice")).toEqual([deleted, owner, second].toSorted());
    expect(await found("GET /cards", "twice")).toEqual(cardIds.toSorted());
    expect(await found("GET /deposits", "twice")).toEqual(depositIds.toSorted());
  }
  const create = () =>
    program.call("POST /cardholders", { body: { ...person, externalId: "twice" } } as never);
  const refused = await create();
  expect([refused.status, refused.body.existingId]).toEqual([409, owner]);
  const card = { cardholderId: owner, cardForm: 0, cardType: 0, externalId: "twice" };
  expect((await program.call("POST /cards", { body: card })).body.existingId).toBe(cardIds[0]);

  // The first one gives it up: the other one stays as it is, and keeps none out.
  const update = { path: { cardholderId: owner }, body: { externalId: "once" } };
  expect((await program.call("PUT /cardholders/{cardholderId}", update)).status).toBe(200);
  expect(await found("GET /cardholders", "twice")).toEqual([deleted, second].toSorted());
  expect((await create()).status).toBe(200);
});
