import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../shared/contract/routes.ts";
import { apiEvent, type Caller, type EventOptions } from "../harness/api-event.ts";
import { unknownId } from "../harness/cases/case.ts";
import { contractCases } from "../harness/cases/cases.ts";
import {
  callerOf,
  type GivenProgram,
  givenApprovedCardholder,
  givenProgram,
  givenWallet,
  handlerOf,
} from "../harness/given-cards.ts";
import { measure } from "../harness/measure.ts";
import { replay } from "../harness/replay.ts";
import { givenBulks } from "./bulk/given-bulk.ts";

type Kind = "read" | "write" | "money" | "reveal" | "keys";
type Key = EventOptions["route"];

const table = readFileSync(path.join(import.meta.dirname, "accesses.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => {
    const [kind, ...key] = line.split(" ");
    return [key.join(" ") as Key, kind as Kind] as const;
  });

/** What each role is refused, said here a second time. */
const refusedTo: Readonly<Record<string, ReadonlySet<Kind>>> = {
  everything: new Set(),
  read_only: new Set(["write", "money", "reveal", "keys"]),
  no_reveal: new Set(["reveal", "keys"]),
  no_money: new Set(["money", "keys"]),
};

/** Nothing of it is there, and the body is no JSON: what answers 403 has looked at neither. */
async function answerTo(program: GivenProgram, key: Key, rights: Pick<Caller, "role" | "operations">) {
  const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const request = {
    route: key,
    path: Object.fromEntries(names.map((name) => [name, unknownId("abc")])),
    ...(/^(POST|PUT)/.test(key) && { body: '{"amount": ' }),
    caller: { ...callerOf(key, program.caller), ...rights },
  };
  const { result, cost } = await measure(() => replay(handlerOf(key), apiEvent(request)));
  const { status, body } = result;
  return { isRefused: status === 403 && body.code === "OPERATION_NOT_ALLOWED", body, calls: cost.calls };
}

test("the table has each operation of the contract, once", () => {
  const keys = routes.map(({ method, path: template }) => `${method} ${template}`);
  const where = "Each has a row in test/functions/accesses.txt.";
  expect(table.map(([key]) => key).toSorted(), where).toEqual(keys.toSorted());
});

describe("each operation, with each role", () => {
  // Nothing is there that a request could change.
  let program: GivenProgram;
  beforeAll(async () => {
    program = await givenProgram();
  });

  test.each(table)("%s: %s", async (key, kind) => {
    const { access, changesKeys, function: resource, operation } = routeOf(key);
    expect([access, changesKeys ?? false]).toEqual([kind === "keys" ? "write" : kind, kind === "keys"]);
    const id = `${resource}_${operation}`;
    const expectRefused = async (rights: Pick<Caller, "role" | "operations">, expected: boolean) => {
      const { isRefused, body, calls } = await answerTo(program, key, rights);
      expect([rights, isRefused]).toEqual([rights, expected]);
      if (!isRefused) return;
      expect(body.message).toBe(`The operation ${id} is not allowed to keys of the role ${rights.role}.`);
      expect(calls).toEqual([]);
    };
    await expectRefused({}, false);
    for (const [role, refused] of Object.entries(refusedTo)) await expectRefused({ role }, refused.has(kind));
    const custom = (operations: string, isAllowed: boolean) =>
      expectRefused({ role: "custom", operations }, !isAllowed);
    await custom(id, kind !== "keys");
    await custom(`cards_none ${id}`, kind !== "keys");
    await custom(`${resource}:read`, kind === "read");
    await custom(`${resource}:*`, kind !== "reveal" && kind !== "keys");
    await custom(`${id}s`, false);
    await custom(resource === "cards" ? "wallets:*" : "cards:*", false);
  });
});

describe("a load when issuing", () => {
  const issue = async (program: GivenProgram, rights: Pick<Caller, "role" | "operations">, load: object) => {
    const cardholderId = await givenApprovedCardholder(program);
    const body = { cardholderId, cardForm: 0, cardType: 0, ...load };
    const caller = { ...program.caller, ...rights };
    return replay(handlerOf("POST /cards"), apiEvent({ route: "POST /cards", body, caller }));
  };

  test.each([
    [{ role: "no_money" }, false],
    [{ role: "no_reveal" }, true],
    // Who names the operation gives all of it.
    [{ role: "custom", operations: "cards_issueCard" }, true],
  ])("%j: %s", async (rights, isAllowed) => {
    const program = await givenProgram();
    const walletId = await givenWallet(program, 1_000);
    expect((await issue(program, rights, {})).status).toBe(200);
    const loaded = await issue(program, rights, { load: { walletId, amount: 700 } });
    expect(loaded.status).toBe(isAllowed ? 200 : 403);
    if (!isAllowed)
      expect(loaded.body).toMatchObject({
        code: "OPERATION_NOT_ALLOWED",
        message: "A load with the operation cards_issueCard is not allowed to keys of the role no_money.",
      });
    const { total } = (await program.call("GET /cards")).body;
    const wallet = (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data;
    expect([total, wallet.availableBalance]).toEqual(isAllowed ? [2, 300] : [1, 1_000]);
  });
});

test("what is noted of a dispute is changed by keys of the role no_money, its amount is not", async () => {
  const program = await givenProgram();
  const made = contractCases().find(
    ({ route, code }) => route.operation === "createDispute" && code === "OK",
  );
  const { body: dispute } = await program.call("POST /disputes", await made?.prepare(program));
  const { disputeId, amount } = dispute.data;
  const path = { disputeId };
  const change = (role: string, body: object) => {
    const route = "PUT /disputes/{disputeId}";
    return replay(handlerOf(route), apiEvent({ route, path, body, caller: { ...program.caller, role } }));
  };
  const labels = { externalId: "case-7", metadata: { agent: "Kim" } };
  expect((await change("no_money", labels)).body.data).toMatchObject(labels);
  for (const body of [{ amount: 1 }, { ...labels, reason: "other" }])
    expect((await change("no_money", body)).body).toMatchObject({ code: "OPERATION_NOT_ALLOWED" });
  expect((await change("read_only", labels)).status).toBe(403);
  const { data } = (await program.call("GET /disputes/{disputeId}", { path })).body;
  expect(data).toMatchObject({ ...labels, amount, reason: "not_received" });
  expect((await change("no_reveal", { amount: 1 })).body.data).toMatchObject({ amount: 1 });
});

describe("a bulk", () => {
  test("runs with the role of the key that began it: no line of no_money loads a Card, the others are issued", async () => {
    const bulks = await givenBulks();
    const [cardholderId, walletId] = [await givenApprovedCardholder(bulks), await givenWallet(bulks, 1_000)];
    const line = { cardholderId, cardForm: 0, cardType: 0 };
    const load = { walletId, amount: 700 };
    const body = [
      { ...line, externalId: "c1" },
      { ...line, externalId: "c2", load },
    ]
      .map((one) => JSON.stringify(one))
      .join("\n");
    const begin = async (rights: Pick<Caller, "role" | "operations">) => {
      const route = "POST /cards/bulk";
      const caller = { ...bulks.caller, ...rights };
      return replay(handlerOf(route), apiEvent({ route, body, caller }));
    };
    expect((await begin({ role: "read_only" })).body.code).toBe("OPERATION_NOT_ALLOWED");
    expect((await begin({ role: "custom", operations: "cards_issueCard" })).body.code).toBe(
      "OPERATION_NOT_ALLOWED",
    );
    const { bulkId } = (await begin({ role: "no_money" })).body.data;
    await bulks.finish(bulkId);
    expect(await bulks.results(bulkId)).toMatchObject([
      { line: 1, status: "succeeded", externalId: "c1" },
      { line: 2, status: "failed", externalId: "c2", error: { code: "OPERATION_NOT_ALLOWED" } },
    ]);
    const wallet = (await bulks.call("GET /wallets/{walletId}", { path: { walletId } })).body.data;
    expect([(await bulks.call("GET /cards")).body.total, wallet.availableBalance]).toEqual([1, 1_000]);
  });
});

function routeOf(key: Key) {
  const route = routes.find(({ method, path: template }) => `${method} ${template}` === key);
  if (!route) throw new Error(`The contract has no ${key}.`);
  return route;
}
