import { beforeAll, describe, expect, test } from "vitest";
import { pathParameterNames, type Route } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { apiEvent, type EventOptions } from "../harness/api-event.ts";
import {
  ada,
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  handlerOf,
  shippingAddress,
} from "../harness/given-cards.ts";
import { replay } from "../harness/replay.ts";
import { storedItems } from "../harness/stored.ts";

/** A body that each endpoint would accept if what the path names were the caller's own. */
const bodies: Record<string, object> = {
  "PUT /cardholders/{cardholderId}": { lastName: "King" },
  "POST /cardholders/{cardholderId}/submit": {},
  "POST /cardholders/{cardholderId}/kyc-outcome": { status: 1 },
  "PUT /cards/{cardId}/status": { status: 2 },
  "POST /cards/{cardId}/close": {},
  "POST /cards/{cardId}/bank-deposit": { amount: 100 },
  "POST /cards/{cardId}/approval": { cardStatus: 1 },
  "POST /cards/{cardId}/deposits": { amount: 100 },
  "POST /wallets/{walletId}/bank-deposit": { amount: 100 },
  "POST /wallets/{walletId}/deposits": { amount: 100 },
};

const keyOf = ({ method, path }: Route) => `${method} ${path}` as EventOptions["route"];
const named = routes.filter(({ path }) => pathParameterNames(path).length > 0);

let owner: GivenProgram;
let stranger: GivenProgram;
let path: Record<string, string>;
let activation: object;

beforeAll(async () => {
  [owner, stranger] = [await givenProgram(), await givenProgram()];
  const cardholderId = await givenApprovedCardholder(owner);
  const card = await givenCard(owner, { cardholderId, cardForm: 1, shippingAddress });
  const wallet = await owner.call("POST /wallets", { body: { name: "Main" } });
  const { walletId } = wallet.body.data;
  const deposit = await owner.call("POST /wallets/{walletId}/deposits", {
    path: { walletId },
    body: { amount: 500 },
  });
  path = { cardholderId, cardId: card.cardId, walletId, depositId: deposit.body.data.depositId };
  activation = {
    lastFour: String(card.maskedCardNumber).slice(-4),
    expiryMonth: card.expiryMonth,
    expiryYear: card.expiryYear,
  };
});

function requestOf(route: Route): Omit<EventOptions, "route" | "caller"> {
  const key = keyOf(route);
  const body = key === "POST /cards/{cardId}/activate" ? activation : bodies[key];
  const own = Object.fromEntries(pathParameterNames(route.path).map((name) => [name, path[name] ?? ""]));
  return { path: own, ...(body && { body }) };
}

describe("another Program's records do not exist", () => {
  for (const route of named) {
    test(`404: ${keyOf(route)}, and nothing changes`, async () => {
      const before = [await storedItems(owner.programId), await storedItems(stranger.programId)];
      const { status, body } = await stranger.call(keyOf(route), requestOf(route));
      expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
      expect([await storedItems(owner.programId), await storedItems(stranger.programId)]).toEqual(before);
    });
  }

  test("404: a card for another Program's Cardholder, even where both may issue", async () => {
    const body = { cardholderId: path.cardholderId, cardForm: 0, cardType: 0 };
    const before = await storedItems(owner.programId);
    expect((await stranger.call("POST /cards", { body })).status).toBe(404);
    expect(await storedItems(owner.programId)).toEqual(before);
    expect(await storedItems(stranger.programId)).toEqual([]);
    expect((await owner.call("POST /cards", { body })).status).toBe(200);
  });

  test("200: lists hold one's own records alone", async () => {
    for (const route of routes.filter(({ answer, path }) => answer === "list" && !path.includes("{"))) {
      const own = await owner.call(keyOf(route));
      expect(own.body.total).toBeGreaterThan(0);
      const other = await stranger.call(keyOf(route));
      expect(other.body).toMatchObject({ status: "success", items: [], total: 0 });
    }
    const { cardholderId = "" } = path;
    expect((await stranger.call("GET /cards", { query: { cardholderId } })).body.total).toBe(0);
  });
});

describe("a Tenant-level key", () => {
  for (const route of routes) {
    const expected = route.answer === "list" ? "an empty list" : "404";
    test(`${keyOf(route)}: ${expected}, and nothing changes`, async () => {
      const before = await storedItems(owner.programId);
      const body = keyOf(route) === "POST /cardholders" ? ada : requestOf(route).body;
      const event = apiEvent({
        ...requestOf(route),
        route: keyOf(route),
        caller: { level: "tenant" },
        ...(body !== undefined && { body }),
      });
      const answer = await replay(handlerOf(keyOf(route)), event);
      if (route.answer === "list") expect(answer.body).toMatchObject({ items: [], total: 0 });
      else expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
      expect(await storedItems(owner.programId)).toEqual(before);
    });
  }
});
