import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operate } from "../../harness/administration.ts";
import { measure } from "../../harness/measure.ts";
import { call } from "./authorizer-event.ts";
import { addressRefused, type GivenCaller, givenCaller, keyOf, keyRefused } from "./given-caller.ts";

const suspended = {
  status: 403,
  code: "SUSPENDED",
  message: "Access of this Tenant or Program is suspended.",
};

describe("the authorizer, on suspended access", () => {
  let caller: GivenCaller;
  let otherKey: string;

  beforeAll(async () => {
    caller = await givenCaller();
    otherKey = (await keyOf(caller.tenant, 1)).apiKey;
  });
  beforeEach(async () => {
    await operate("resume-tenant", { tenantId: caller.tenant.tenantId });
    for (const programId of caller.tenant.programIds) await operate("resume-program", { programId });
  });
  afterAll(() => caller.stop());

  const callAll = async () => {
    const keys = [caller.programKey.apiKey, otherKey, caller.tenantKey.apiKey];
    const verdicts = await Promise.all(keys.map((apiKey) => call(caller.withKey(apiKey))));
    return verdicts.map((verdict) => ("code" in verdict ? verdict.code : verdict.status));
  };

  it("rejects every key of a suspended Tenant from the next request until it is resumed", async () => {
    const { tenantId } = caller.tenant;
    expect(await callAll()).toEqual([200, 200, 200]);
    await operate("suspend-tenant", { tenantId });
    expect(await callAll()).toEqual(["SUSPENDED", "SUSPENDED", "SUSPENDED"]);
    expect(await call(caller.withKey(caller.programKey.apiKey))).toEqual(suspended);
    await operate("resume-tenant", { tenantId });
    expect(await callAll()).toEqual([200, 200, 200]);
  });

  it("rejects only the keys of a suspended Program", async () => {
    const [programId] = caller.tenant.programIds;
    await operate("suspend-program", { programId });
    expect(await callAll()).toEqual(["SUSPENDED", 200, 200]);
    await operate("resume-program", { programId });
    expect(await callAll()).toEqual([200, 200, 200]);
  });

  it("keeps a Program suspended when its Tenant is resumed", async () => {
    const { tenantId, programIds } = caller.tenant;
    await operate("suspend-program", { programId: programIds[0] });
    await operate("suspend-tenant", { tenantId });
    await operate("resume-tenant", { tenantId });
    expect(await callAll()).toEqual(["SUSPENDED", 200, 200]);
  });

  it("answers SUSPENDED to valid credentials only", async () => {
    await operate("suspend-tenant", { tenantId: caller.tenant.tenantId });
    expect(await call(caller.withKey(`cik_${"A".repeat(43)}`))).toEqual(keyRefused);
    expect(await call(caller.withKey(caller.programKey.apiKey, { ip: "192.0.2.9" }))).toEqual(addressRefused);
  });

  it("costs no further round trip", async () => {
    const { cost } = await measure(() => call(caller.withKey(caller.programKey.apiKey)));
    expect(cost.roundTrips).toBe(1);
    expect(cost.calls.toSorted()).toEqual(["BatchGetItem", "Query"]);
  });
});
