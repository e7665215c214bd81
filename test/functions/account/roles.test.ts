import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { apiKeys } from "../../../shared/tenancy/api-keys/api-key.ts";
import { hashUnder, readPeppers, rotatedSecret } from "../../../shared/tenancy/api-keys/pepper.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent, type Caller, type EventOptions } from "../../harness/api-event.ts";
import { interrupt } from "../../harness/faults.ts";
import { handlerOf } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { storedPepper, storePepper } from "../../harness/pepper.ts";
import { type Answer, replay } from "../../harness/replay.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { call as authorize } from "../authorizer/authorizer-event.ts";
import { type GivenCaller, givenCaller } from "../authorizer/given-caller.ts";
import { verdict } from "./given-account.ts";

type Options = Omit<EventOptions, "route" | "caller">;

let caller: GivenCaller;
let tenantId: string;
let programId: string;
beforeAll(async () => {
  caller = await givenCaller();
  ({ tenantId } = caller.tenant);
  programId = caller.tenant.programIds[0] ?? "";
});
afterAll(() => caller.stop());

/** What the authorizer hands over for the key. */
async function contextOf(apiKey: string): Promise<Caller> {
  const found = await authorize(caller.withKey(apiKey));
  if (found.status !== 200) throw new Error(`The key is refused: ${JSON.stringify(found)}`);
  return found.context as Caller;
}

const rightsOf = async (apiKey: string) => {
  const { role, operations } = await contextOf(apiKey);
  return [role, operations];
};

/** With the key, as the gateway does: authorizer, then function. */
async function callWith(
  apiKey: string,
  route: EventOptions["route"],
  options: Options = {},
): Promise<Answer> {
  const { currency, ...context } = await contextOf(apiKey);
  const asCaller = { ...context, ...(currency !== undefined && { currency: Number(currency) as 0 }) };
  return replay(handlerOf(route), apiEvent({ ...options, route, caller: asCaller }));
}

const base = "/account/programs/{programId}/api-users";
const withTenantKey = (route: EventOptions["route"], options?: Options) =>
  callWith(caller.tenantKey.apiKey, route, options);

const create = (body: object) => withTenantKey(`POST ${base}`, { path: { programId }, body });
const change = (apiUserId: string, body: object) =>
  withTenantKey(`PUT ${base}/{apiUserId}`, { path: { programId, apiUserId }, body });
const rotate = (apiUserId: string, overlapSeconds: number) =>
  withTenantKey(`POST ${base}/{apiUserId}/rotate`, {
    path: { programId, apiUserId },
    body: { overlapSeconds },
  });

async function givenKey(rights: object = {}): Promise<{ apiUserId: string; apiKey: string }> {
  return (await create({ name: "Backend", ...rights })).body.data;
}

const custom = { role: "custom", operations: ["cards:read", "cards_issueCard"] };

describe("an API user's role", () => {
  test.each([
    [{}, { role: "everything" }, [undefined, undefined]],
    [{ role: "everything" }, { role: "everything" }, [undefined, undefined]],
    [{ role: "read_only" }, { role: "read_only" }, ["read_only", undefined]],
    [custom, custom, ["custom", "cards:read cards_issueCard"]],
  ])("%j is shown, and with each request of the key", async (rights, shown, handedOver) => {
    const { body } = await create({ name: "Backend", ...rights });
    const { apiKey, ...view } = body.data;
    expect(view).toEqual({
      ...{ apiUserId: expect.any(String), level: "program", programId, name: "Backend", ...shown },
      dateCreated: expect.any(String),
    });
    const { items } = (await withTenantKey(`GET ${base}`, { path: { programId }, query: { limit: "200" } }))
      .body;
    expect(items).toContainEqual(view);
    expect(await rightsOf(apiKey)).toEqual(handedOver);
  });

  test("counts from the next request on, and keeps what a change leaves out", async () => {
    const { apiUserId, apiKey } = await givenKey(custom);
    const changed = async (body: object) => (await change(apiUserId, body)).body.data;
    expect(await changed({ name: "Reports" })).toMatchObject({ name: "Reports", ...custom });
    const readOnly = await changed({ role: "read_only" });
    expect(readOnly).toMatchObject({ name: "Reports", role: "read_only" });
    expect(readOnly).not.toHaveProperty("operations");
    expect(await rightsOf(apiKey)).toEqual(["read_only", undefined]);
    expect(verdict(await callWith(apiKey, "POST /wallets", { body: { name: "Trips" } }))).toEqual([
      403,
      "OPERATION_NOT_ALLOWED",
    ]);
    expect(await changed({ role: "everything" })).toMatchObject({ name: "Reports", role: "everything" });
    expect(await rightsOf(apiKey)).toEqual([undefined, undefined]);
    expect(verdict(await callWith(apiKey, "POST /wallets", { body: { name: "Trips" } }))).toEqual([
      200,
      "OK",
    ]);
  });

  test("is one for both keys in an overlap, whether it was before the rotation or came in it", async () => {
    const { apiUserId, apiKey } = await givenKey({ role: "no_money" });
    const rotated = (await rotate(apiUserId, 3_600)).body.data;
    expect(rotated).toMatchObject({ role: "no_money" });
    const keys = [apiKey, rotated.apiKey];
    expect(await Promise.all(keys.map(rightsOf))).toEqual([
      ["no_money", undefined],
      ["no_money", undefined],
    ]);
    await change(apiUserId, custom);
    expect(await Promise.all(keys.map(rightsOf))).toEqual([
      ["custom", "cards:read cards_issueCard"],
      ["custom", "cards:read cards_issueCard"],
    ]);
    await rotate(apiUserId, 0);
    const third = (await rotate(apiUserId, 0)).body.data;
    expect(await rightsOf(third.apiKey)).toEqual(["custom", "cards:read cards_issueCard"]);
    expect(await change(apiUserId, { role: "read_only" })).toMatchObject({ status: 200 });
  });

  test("is also of Tenant-level keys", async () => {
    const { body } = await withTenantKey("POST /account/api-users", {
      body: { name: "Auditor", role: "read_only" },
    });
    const { apiUserId, apiKey } = body.data;
    const call = (route: EventOptions["route"], options?: Options) => callWith(apiKey, route, options);
    expect(verdict(await call("GET /account/audit-log"))).toEqual([200, "OK"]);
    expect(verdict(await call("POST /account/programs", { body: { name: "Mine", currency: 0 } }))).toEqual([
      403,
      "OPERATION_NOT_ALLOWED",
    ]);
    const path = { apiUserId };
    await withTenantKey("PUT /account/api-users/{apiUserId}", { path, body: { role: "no_money" } });
    expect(verdict(await call("POST /account/programs", { body: { name: "Mine", currency: 0 } }))).toEqual([
      200,
      "OK",
    ]);
    // Not even its own key: it could raise itself.
    for (const [method, body] of [
      ["PUT", { role: "everything" }],
      ["DELETE", undefined],
    ] as const) {
      const raised = await call(`${method} /account/api-users/{apiUserId}`, { path, ...(body && { body }) });
      expect(verdict(raised)).toEqual([403, "OPERATION_NOT_ALLOWED"]);
    }
  });

  test("takes a hundred operations of the longest names, and hands them over", async () => {
    const { routes } = await import("../../../shared/contract/routes.ts");
    const ids = routes
      .map((one) => `${one.function}_${one.operation}`)
      .toSorted((a, b) => b.length - a.length);
    const { apiKey } = await givenKey({ role: "custom", operations: ids.slice(0, 100) });
    const { operations = "" } = await contextOf(apiKey);
    expect(operations.split(" ")).toEqual(ids.slice(0, 100));
  });

  test("is read with the key: no call more for a restricted one", async () => {
    const [plain, restricted] = [await givenKey(), await givenKey(custom)];
    const callsOf = async (apiKey: string) => (await measure(() => authorize(caller.withKey(apiKey)))).cost;
    await callsOf(plain.apiKey);
    const costs = [await callsOf(plain.apiKey), await callsOf(restricted.apiKey)];
    expect(costs[1]?.calls).toEqual(costs[0]?.calls);
    expect(costs[1]?.roundTrips).toBe(costs[0]?.roundTrips);
    expect(costs[1]?.readUnits).toBe(costs[0]?.readUnits);
  });
});

describe("a role that changes beside another change of its API user", () => {
  const transacts = (command: string) => command === "TransactWriteItems";

  test("a rotation at the same time gives no key the role from before", async () => {
    const { apiUserId } = await givenKey({ role: "read_only" });
    const beside = interrupt(transacts, () => change(apiUserId, { role: "no_money" }));
    const answer = await rotate(apiUserId, 3_600);
    beside[Symbol.dispose]();
    expect(verdict(answer)).toEqual([409, "ILLEGAL_TRANSITION"]);
    const { apiKey } = (await rotate(apiUserId, 3_600)).body.data;
    expect(await rightsOf(apiKey)).toEqual(["no_money", undefined]);
  });

  test("a rotation that comes first is taken up: both keys get the new role", async () => {
    const { apiUserId, apiKey } = await givenKey();
    let rotated: Answer | undefined;
    const beside = interrupt(transacts, async () => {
      rotated = await rotate(apiUserId, 3_600);
    });
    expect(verdict(await change(apiUserId, { role: "read_only" }))).toEqual([200, "OK"]);
    beside[Symbol.dispose]();
    for (const one of [apiKey, rotated?.body.data.apiKey])
      expect(await rightsOf(one)).toEqual(["read_only", undefined]);
  });

  test("of two changes at once, the later one holds for every key", async () => {
    const { apiUserId, apiKey } = await givenKey();
    const beside = interrupt(transacts, () => change(apiUserId, { role: "no_reveal", name: "First" }));
    expect((await change(apiUserId, { role: "read_only" })).body.data).toMatchObject({
      name: "First",
      role: "read_only",
    });
    beside[Symbol.dispose]();
    expect(await rightsOf(apiKey)).toEqual(["read_only", undefined]);
  });

  test("a key that is stored under a new pepper just then keeps the new role, not the one it was read with", async () => {
    const first = storedPepper();
    try {
      storePepper(first);
      await readPeppers({ isFresh: true });
      const { apiUserId, apiKey } = await givenKey();
      const newer = "n".repeat(64);
      storePepper(rotatedSecret(first, newer, new Date()));
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
      await readPeppers({ isFresh: true });
      // The authorizer's own transaction moves the key; the operator's comes in between.
      const beside = interrupt(transacts, () =>
        operate("change-api-key", { tenantId, apiUserId, role: "read_only" }),
      );
      await authorize(caller.withKey(apiKey));
      beside[Symbol.dispose]();
      expect(await rightsOf(apiKey)).toEqual(["read_only", undefined]);
      expect(await rightsOf(apiKey)).toEqual(["read_only", undefined]);
      const { pk } = apiKeys.key(hashUnder(newer, apiKey));
      expect((await allStoredItems()).find((item) => item.pk === pk)).toMatchObject({ role: "read_only" });
      await change(apiUserId, { role: "no_money" });
      expect(await rightsOf(apiKey)).toEqual(["no_money", undefined]);
    } finally {
      vi.useRealTimers();
      storePepper(first);
    }
  });
});

describe("the operator", () => {
  test("makes restricted keys, lists roles, and raises a Tenant that has restricted itself", async () => {
    const { apiUserId, apiKey } = await operate("create-api-key", {
      tenantId,
      name: "Reader",
      role: "read_only",
    });
    expect(await rightsOf(apiKey)).toEqual(["read_only", undefined]);
    const { apiUsers } = await operate("list-credentials", { tenantId });
    expect(apiUsers.find((one) => one.apiUserId === apiUserId)).toMatchObject({ role: "read_only" });
    const raised = await operate("change-api-key", { tenantId, apiUserId, role: "everything" });
    expect(raised).toMatchObject({ name: "Reader", role: "everything" });
    expect(await rightsOf(apiKey)).toEqual([undefined, undefined]);
    const unknown = { tenantId, apiUserId: "apu_00000000000000000000000000", role: "everything" };
    await expect(operate("change-api-key", unknown)).rejects.toThrow("does not exist");
    await operate("revoke-api-key", { tenantId, apiUserId });
    await expect(operate("change-api-key", { tenantId, apiUserId, role: "read_only" })).rejects.toThrow(
      "ILLEGAL_TRANSITION",
    );
  });
});
