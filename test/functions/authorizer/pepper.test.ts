import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { endRotation, readState } from "../../../infra/commands/pepper/rotate-pepper.ts";
import { log } from "../../../shared/platform/log.ts";
import { apiKeys } from "../../../shared/tenancy/api-keys/api-key.ts";
import { hashUnder, readPeppers, rotatedSecret } from "../../../shared/tenancy/api-keys/pepper.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { measure } from "../../harness/measure.ts";
import { storedPepper, storePepper } from "../../harness/pepper.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { call } from "./authorizer-event.ts";
import { type GivenCaller, givenCaller, keyOf, keyRefused } from "./given-caller.ts";

let caller: GivenCaller;
const first = storedPepper();
beforeAll(async () => {
  caller = await givenCaller();
});
beforeEach(async () => {
  // This process has read the secret before a rotation begins.
  storePepper(first);
  advance(11);
  await readPeppers({ isFresh: true });
});
afterAll(() => {
  vi.useRealTimers();
  return caller.stop();
});

const newer = "n".repeat(64);
const begin = () => storePepper(rotatedSecret(first, newer, new Date()));
const advance = (seconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });
const isStored = async (apiKey: string, pepper: string) => {
  const { pk } = apiKeys.key(hashUnder(pepper, apiKey));
  return (await allStoredItems()).some((item) => item.pk === pk);
};
const statusOf = async (apiKey: string) => (await call(caller.withKey(apiKey))).status;

test("while the pepper is rotated, a key is stored anew as it is used, and works on without the former", async () => {
  const { apiKey } = await keyOf(caller.tenant, 0);
  const unused = await keyOf(caller.tenant, 0);
  advance(0);
  begin();
  advance(11);
  const made = await keyOf(caller.tenant, 0);
  // Not every process knows the new one yet.
  expect(await isStored(made.apiKey, first)).toBe(true);
  expect(await statusOf(apiKey)).toBe(200);
  expect(await isStored(apiKey, newer)).toBe(false);
  advance(60);
  expect(await statusOf(apiKey)).toBe(200);
  expect([await isStored(apiKey, first), await isStored(apiKey, newer)]).toEqual([false, true]);
  expect(await statusOf(apiKey)).toBe(200);
  const left = (await readState("pepper")).keys.map(({ apiUserId }) => apiUserId);
  expect(left).toContain(unused.apiUserId);
  expect(left).not.toContain((await userOf(apiKey)).apiUserId);
  // The former is taken away.
  storePepper(newer);
  advance(11);
  await readPeppers({ isFresh: true });
  expect(await statusOf(apiKey)).toBe(200);
  expect(await call(caller.withKey(unused.apiKey))).toEqual(keyRefused);
});

const userOf = async (apiKey: string) => {
  const { pk } = apiKeys.key(hashUnder(newer, apiKey));
  const item = (await allStoredItems()).find((one) => one.pk === pk);
  return { apiUserId: String(item?.apiUserId) };
};

test("a process that knows only the former pepper finds a key that another one has stored anew", async () => {
  const { apiKey } = await keyOf(caller.tenant, 0);
  expect(await statusOf(apiKey)).toBe(200);
  begin();
  advance(61);
  const { storeUnderPepper } = await import("../../../shared/tenancy/api-keys/store-under-pepper.ts");
  const { pk, sk } = apiKeys.key(hashUnder(first, apiKey));
  const item = (await allStoredItems()).find((one) => one.pk === pk && one.sk === sk);
  const to = { keyHash: hashUnder(newer, apiKey), pepper: "another" };
  await storeUnderPepper(item as never, hashUnder(first, apiKey), to);
  expect(await statusOf(apiKey)).toBe(200);
});

test("a key is read once, stored anew once, and an unknown one read again only while the pepper is rotated", async () => {
  const calls = async (apiKey: string) => {
    const { result, cost } = await measure(() => call(caller.withKey(apiKey)));
    const counts = ["BatchGetItem", "TransactWriteItems"].map(
      (name) => cost.calls.filter((one) => one === name).length,
    );
    return [result.status, ...counts];
  };
  const { apiKey } = await keyOf(caller.tenant, 0);
  const unknown = `${apiKey.slice(0, -4)}${apiKey.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  expect(await calls(apiKey)).toEqual([200, 1, 0]);
  expect(await calls(unknown)).toEqual([keyRefused.status, 1, 0]);
  begin();
  advance(61);
  await keyOf(caller.tenant, 0);
  expect((await calls(apiKey)).at(-1)).toBe(1);
  expect(await calls(apiKey)).toEqual([200, 1, 0]);
  expect(await calls(unknown)).toEqual([keyRefused.status, 2, 0]);
});

test("a key that was stored anew is revoked as any other, and never stored anew after that", async () => {
  const { apiKey, apiUserId } = await keyOf(caller.tenant, 0);
  const other = await keyOf(caller.tenant, 0);
  begin();
  advance(61);
  await keyOf(caller.tenant, 0);
  expect(await statusOf(apiKey)).toBe(200);
  const { tenantId } = caller.tenant;
  for (const id of [apiUserId, other.apiUserId]) await operate("revoke-api-key", { tenantId, apiUserId: id });
  expect(await call(caller.withKey(apiKey))).toEqual(keyRefused);
  expect(await call(caller.withKey(other.apiKey))).toEqual(keyRefused);
  expect(await isStored(other.apiKey, newer)).toBe(false);
});

test("a key works although it could not be stored anew", async () => {
  const { apiKey } = await keyOf(caller.tenant, 0);
  begin();
  advance(61);
  await keyOf(caller.tenant, 0);
  {
    using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
    const said = vi.spyOn(log, "warn");
    expect(await statusOf(apiKey)).toBe(200);
    expect(said).toHaveBeenCalledExactlyOnceWith(
      "A key was not stored under the new pepper.",
      expect.objectContaining({ tenantId: caller.tenant.tenantId, error: expect.anything() }),
    );
    said.mockRestore();
  }
  expect(await isStored(apiKey, first)).toBe(true);
  expect(await statusOf(apiKey)).toBe(200);
  expect(await isStored(apiKey, newer)).toBe(true);
});

test("a rotation ends after ten minutes, when no key in use is left", async () => {
  await keyOf(caller.tenant, 0);
  begin();
  await expect(endRotation("pepper", new Date(), false)).rejects.toThrow("less than ten minutes");
  advance(600);
  const state = await endRotation("pepper", new Date(), false);
  expect([state.isRotating, state.keys.length > 0]).toEqual([true, true]);
});
