import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/account/handler.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { replay } from "../../harness/replay.ts";
import { call } from "./authorizer-event.ts";
import { type GivenCaller, givenCaller, keyOf, keyRefused } from "./given-caller.ts";

describe("the authorizer, when keys are replaced", () => {
  let caller: GivenCaller;

  beforeAll(async () => {
    caller = await givenCaller();
  });
  afterEach(() => void vi.useRealTimers());
  afterAll(() => caller.stop());

  const account = (route: EventOptions["route"], options: Omit<EventOptions, "route" | "caller">) =>
    replay(
      handler,
      apiEvent({ ...options, route, caller: { level: "tenant", tenantId: caller.tenant.tenantId } }),
    );
  const advance = (seconds: number) =>
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + seconds * 1000 });

  /** A key of the first Program, or of the Tenant, and how it is replaced and revoked. */
  const givenKey = async (level: "program" | "tenant") => {
    const { apiKey, apiUserId } = await keyOf(caller.tenant, level === "program" ? 0 : undefined);
    const [programId = ""] = caller.tenant.programIds;
    const base =
      level === "program"
        ? ("/account/programs/{programId}/api-users" as const)
        : ("/account/api-users" as const);
    const path = { apiUserId, ...(level === "program" && { programId }) };
    return {
      apiKey,
      apiUserId,
      rotate: async (body?: object): Promise<string> =>
        (await account(`POST ${base}/{apiUserId}/rotate`, { path, ...(body && { body }) })).body.data.apiKey,
      revoke: () => account(`DELETE ${base}/{apiUserId}`, { path }),
    };
  };
  const accepted = expect.objectContaining({ status: 200 });
  const verdictOf = (apiKey: string) => call(caller.withKey(apiKey));

  it.each(["program", "tenant"] as const)(
    "takes both keys of a %s until the overlap ends, by the clock",
    async (level) => {
      const key = await givenKey(level);
      advance(0);
      const successor = await key.rotate({ overlapSeconds: 600 });
      expect(await verdictOf(key.apiKey)).toEqual(accepted);
      expect(await verdictOf(successor)).toEqual(accepted);
      advance(599.999);
      expect(await verdictOf(key.apiKey)).toEqual(accepted);
      advance(0.001);
      expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
      expect(await verdictOf(successor)).toEqual(accepted);
    },
  );

  it("accepts only the new key without an overlap", async () => {
    const key = await givenKey("program");
    const successor = await key.rotate();
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    expect(await verdictOf(successor)).toEqual(accepted);
  });

  it("accepts at most two keys: another rotation ends the oldest at once", async () => {
    const key = await givenKey("program");
    const second = await key.rotate({ overlapSeconds: 600 });
    const third = await key.rotate({ overlapSeconds: 600 });
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    expect(await verdictOf(second)).toEqual(accepted);
    expect(await verdictOf(third)).toEqual(accepted);
  });

  it("takes neither from the moment of revocation, by the Tenant or by the operator", async () => {
    for (const by of ["tenant", "operator"]) {
      const key = await givenKey("program");
      const successor = await key.rotate({ overlapSeconds: 600 });
      const { tenantId } = caller.tenant;
      if (by === "tenant") await key.revoke();
      else await operate("revoke-api-key", { tenantId, apiUserId: key.apiUserId });
      expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
      expect(await verdictOf(successor)).toEqual(keyRefused);
      expect(await key.rotate({ overlapSeconds: 600 }).catch(() => "refused")).toBe("refused");
    }
  });

  it("takes none after a revocation that races with rotations and with itself", async () => {
    const key = await givenKey("tenant");
    const [, first, second, ...rotations] = await Promise.allSettled([
      call(caller.withKey(key.apiKey)),
      key.revoke(),
      key.revoke(),
      key.rotate({ overlapSeconds: 600 }),
      key.rotate({ overlapSeconds: 600 }),
    ]);
    for (const revoked of [first, second]) expect(revoked).toMatchObject({ value: { status: 200 } });
    expect(await verdictOf(key.apiKey)).toEqual(keyRefused);
    for (const one of rotations) {
      if (one.status === "fulfilled") expect(await verdictOf(one.value)).toEqual(keyRefused);
    }
  });

  it("leaves exactly one valid key after two rotations at the same time", async () => {
    const key = await givenKey("tenant");
    const outcomes = await Promise.allSettled([key.rotate(), key.rotate()]);
    const successors = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const verdicts = [await verdictOf(key.apiKey)];
    for (const successor of successors) verdicts.push(await verdictOf(successor));
    expect(verdicts.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(verdicts[0]).toEqual(keyRefused);
  });
});
