import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { giveUsageKeys } from "../../../infra/commands/failover/usage-keys.ts";
import type { UsagePlans } from "../../../infra/local/endpoint/usage-plans.ts";
import { standardLimits, usageKey } from "../../../shared/contract/rate-limits.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { auditEntries } from "../../../shared/tenancy/audit-log.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { recordUsageKeys } from "../../../shared/tenancy/usage/program-usage.ts";
import { operate } from "../../harness/administration.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { startUsageAdministration } from "../../harness/usage-administration.ts";
import { expectRejected, unknownProgram } from "./expect-rejected.ts";

const { endpoint, usage } = await startUsageAdministration();
process.env.AWS_ENDPOINT_URL_API_GATEWAY = endpoint;

/** The plans of a Program or a Tenant, as the gateway has them. */
const plansOf = (ownerId: string) =>
  usage
    .keysNamed(usageKey(ownerId, "reads").replace(/reads$/, ""))
    .flatMap((key) => usage.findPlans(key))
    .map(({ name }) => name.replace("card-issuing-local-", ""))
    .filter((name) => name !== "sandbox")
    .toSorted();
const standardPlans = ["fundsMoves-standard", "reads-standard", "writes-standard"];

describe("the operator function", () => {
  let tenant: GivenTenant;
  let programId: string;

  beforeAll(async () => {
    tenant = await givenTenant(2);
    programId = tenant.programIds[0] ?? "";
  });

  const newKey = (id: string) =>
    operate("create-api-key", { tenantId: tenant.tenantId, programId: id, name: "key" });
  const limitsOf = async (id: string) => (await readProgram(id))?.rateLimits;

  it("gives a Tenant its usage key with its first API key", () => {
    expect(plansOf(tenant.tenantId)).toEqual(["account"]);
  });

  it("gives a Program its usage keys with its first API key, for it alone, and once", async () => {
    expect(plansOf(programId)).toEqual([]);
    await newKey(programId);
    expect(plansOf(programId)).toEqual(standardPlans);
    const { usageKeysAt } = (await readProgram(programId)) ?? {};
    expect(usageKeysAt).toMatch(/^\d{4}-/);
    await newKey(programId);
    expect((await readProgram(programId))?.usageKeysAt).toBe(usageKeysAt);
    expect(plansOf(tenant.programIds[1] ?? "")).toEqual([]);
  });

  describe("set-rate-limits", () => {
    it("raises the kinds that are named, and leaves the others", async () => {
      const raised = await operate("set-rate-limits", { programId, reads: "raised" });
      expect(raised).toEqual({ programId, rateLimits: { ...standardLimits, reads: "raised" } });
      expect(plansOf(programId)).toEqual(["fundsMoves-standard", "reads-raised", "writes-standard"]);
      await operate("set-rate-limits", { programId, fundsMoves: "highest" });
      expect(await limitsOf(programId)).toEqual({
        reads: "raised",
        writes: "standard",
        fundsMoves: "highest",
      });
      await operate("set-rate-limits", { programId, ...standardLimits });
      expect(plansOf(programId)).toEqual(standardPlans);
    });

    it("before the first API key holds from that key on", async () => {
      const [, fresh = ""] = tenant.programIds;
      await operate("set-rate-limits", { programId: fresh, writes: "highest" });
      await newKey(fresh);
      expect(plansOf(fresh)).toEqual(["fundsMoves-standard", "reads-standard", "writes-highest"]);
    });

    it("gives the gateway again what it has lost, the Tenant's included, and writes nothing down for it", async () => {
      for (const id of [usageKey(programId, "writes"), usageKey(tenant.tenantId, "account")]) {
        const [key] = usage.keysNamed(id);
        const [plan] = usage.findPlans(key);
        if (plan && key) usage.removeKey(plan, key);
      }
      expect([plansOf(programId), plansOf(tenant.tenantId)]).toEqual([
        ["fundsMoves-standard", "reads-standard"],
        [],
      ]);
      const before = await auditCount();
      await operate("set-rate-limits", { programId });
      expect([plansOf(programId), plansOf(tenant.tenantId)]).toEqual([standardPlans, ["account"]]);
      expect(await auditCount()).toBe(before);
    });

    it.each([
      ["before a key left its plan", "removeKey", false],
      ["between two plans", "removeKey", true],
      ["before a key got into its plan", "addKey", false],
      ["after it", "addKey", true],
    ] as const)("that is killed %s is finished by the next sweep", async (_, step, takesEffect) => {
      await operate("set-rate-limits", { programId, ...standardLimits });
      const real = usage[step].bind(usage) as UsagePlans["addKey"];
      vi.spyOn(usage, step).mockImplementation((plan, key) => {
        if (takesEffect) real(plan, key);
        throw new Error("The function was killed.");
      });
      const raised = { reads: "raised", writes: "raised", fundsMoves: "raised" } as const;
      await expect(operate("set-rate-limits", { programId, ...raised })).rejects.toThrow();
      vi.restoreAllMocks();
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 180_000 });
      await sweepDeadlines();
      vi.useRealTimers();
      expect(plansOf(programId)).toEqual(["fundsMoves-raised", "reads-raised", "writes-raised"]);
      expect((await storedItems(programId)).filter(({ kind }) => kind === "apply_limits")).toEqual([]);
    });

    it("that is overtaken by another change follows it", async () => {
      const real = usage.addKey.bind(usage);
      let overtaking: Promise<unknown> | undefined;
      const spy = vi.spyOn(usage, "addKey").mockImplementationOnce((plan, key) => {
        overtaking = operate("set-rate-limits", { programId, reads: "highest" });
        return real(plan, key);
      });
      await operate("set-rate-limits", { programId, reads: "standard" });
      spy.mockRestore();
      await overtaking;
      await vi.waitFor(() => expect(plansOf(programId)).toContain("reads-highest"), { timeout: 60_000 });
    });

    it("rejects an unknown Program and an unknown tier", async () => {
      await expectRejected("set-rate-limits", { programId: unknownProgram });
      await expectRejected("set-rate-limits", { programId, reads: 100 });
      await expectRejected("set-rate-limits", { programId, writes: "unlimited" });
    });

    const auditCount = async () => {
      const { Items = [] } = await table.send(
        new QueryCommand({
          TableName: environment.accountsTable,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": auditEntries.key(tenant.tenantId, "").pk },
        }),
      );
      return Items.length;
    };
  });

  describe("the gateway of another region", () => {
    it("gets all keys that the tables know of, each in its plan, and no others, once", async () => {
      const other = await givenTenant(3);
      const [kept = "", moved = "", unknown = ""] = other.programIds;
      const lost = await givenTenant(1);
      for (const id of [kept, moved]) await operate("create-api-key", { ...of(other, id), name: "key" });
      const [key] = usage.keysNamed(usageKey(moved, "reads"));
      const [plan] = usage.findPlans(key);
      if (plan && key) usage.removeKey(plan, key);
      const raised = usage.plans.find(({ name }) => name.endsWith("reads-raised"));
      if (raised && key) usage.addKey(raised, key);
      // The first region made these keys: this one has none of them.
      await recordUsageKeys({ programId: unknown });
      const [account] = usage.keysNamed(usageKey(lost.tenantId, "account"));
      const [plans] = usage.findPlans(account);
      if (plans && account) usage.removeKey(plans, account);
      const before = await storedItems(unknown);

      const { given } = await giveUsageKeys(() => {});
      expect(given.toSorted()).toEqual([moved, unknown, lost.tenantId].toSorted());
      for (const id of [kept, moved, unknown]) expect(plansOf(id), id).toEqual(standardPlans);
      expect(plansOf(lost.tenantId)).toEqual(["account"]);
      expect(plansOf(lost.programIds[0] ?? "")).toEqual([]);
      expect(await storedItems(unknown)).toEqual(before);
      expect((await giveUsageKeys(() => {})).given).toEqual([]);
    });

    const of = ({ tenantId }: GivenTenant, id: string) => ({ tenantId, programId: id });
  });
});
