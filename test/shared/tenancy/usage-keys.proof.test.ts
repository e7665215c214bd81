import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { UsagePlans } from "../../../infra/local/endpoint/usage-plans.ts";
import type { UsagePlan } from "../../../shared/contract/rate-limits.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { assignUsageKeys, createUsageKeys } from "../../../shared/tenancy/usage/usage-keys.ts";
import { type Contention, startUsageAdministration } from "../../harness/usage-administration.ts";

/** Conflicts that the gateway answers; none unless a test sets them. */
let contention: Contention = () => undefined;
const { endpoint, usage } = await startUsageAdministration(() => contention());
process.env.AWS_ENDPOINT_URL_API_GATEWAY = endpoint;

let count = 0;
let reads: string;
let writes: string;
beforeEach(() => {
  count += 1;
  reads = `prg0000000000000000${count}reads`;
  writes = `prg0000000000000000${count}writes`;
});
afterEach(() => {
  vi.restoreAllMocks();
  contention = () => undefined;
});

const sandbox = "card-issuing-local-sandbox";
const plansOf = (name: string) => {
  const [key, ...others] = usage.keysNamed(name);
  expect(others).toEqual([]);
  return usage.findPlans(key).map((plan) => plan.name);
};
const inPlans = (readsPlan: UsagePlan, writesPlan: UsagePlan) =>
  new Map<string, UsagePlan[]>([
    [reads, [readsPlan, "sandbox"]],
    [writes, [writesPlan]],
  ]);

describe("usage keys", () => {
  it("are made, each in its plan", async () => {
    await createUsageKeys(inPlans("reads-standard", "writes-raised"));
    expect([plansOf(reads), plansOf(writes)]).toEqual([
      ["card-issuing-local-reads-standard", sandbox],
      ["card-issuing-local-writes-raised"],
    ]);
  });

  it("are created once, by concurrent and repeated requests", async () => {
    const plans = inPlans("reads-standard", "writes-standard");
    await Promise.all([createUsageKeys(plans), createUsageKeys(plans), assignUsageKeys(plans)]);
    await createUsageKeys(plans);
    expect(plansOf(reads)).toEqual(["card-issuing-local-reads-standard", sandbox]);
  });

  it("that were moved stay where they are when they are made again", async () => {
    await createUsageKeys(inPlans("reads-standard", "writes-standard"));
    await assignUsageKeys(inPlans("reads-highest", "writes-standard"));
    expect([plansOf(reads), plansOf(writes)]).toEqual([
      ["card-issuing-local-reads-highest", sandbox],
      ["card-issuing-local-writes-standard"],
    ]);
    await createUsageKeys(inPlans("reads-standard", "writes-standard"));
    expect(plansOf(reads)).toEqual(["card-issuing-local-reads-highest", sandbox]);
  });

  it.each([
    ["before a key got its plan", "addKey"],
    ["between two plans", "removeKey"],
  ] as const)("that were left half-way, %s, are completed by a repetition", async (_, step) => {
    await createUsageKeys(new Map([[writes, ["writes-standard"]]]));
    const real = usage[step].bind(usage) as UsagePlans["addKey"];
    vi.spyOn(usage, step).mockImplementation((plan, key) => {
      if (step === "removeKey") real(plan, key);
      throw new Error("The function ended.");
    });
    const plans = inPlans("reads-standard", "writes-raised");
    await expect(assignUsageKeys(plans)).rejects.toThrow();
    vi.restoreAllMocks();
    await assignUsageKeys(plans);
    expect([plansOf(reads), plansOf(writes)]).toEqual([
      ["card-issuing-local-reads-standard", sandbox],
      ["card-issuing-local-writes-raised"],
    ]);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    "get into their plans and from one to another though every other change is answered 409, seed %i",
    async (seed) => {
      contention = contentionFrom(seed);
      await createUsageKeys(inPlans("reads-standard", "writes-standard"));
      expect([plansOf(reads), plansOf(writes)]).toEqual([
        ["card-issuing-local-reads-standard", sandbox],
        ["card-issuing-local-writes-standard"],
      ]);
      await assignUsageKeys(inPlans("reads-raised", "writes-highest"));
      expect([plansOf(reads), plansOf(writes)]).toEqual([
        ["card-issuing-local-reads-raised", sandbox],
        ["card-issuing-local-writes-highest"],
      ]);
    },
  );

  it("that are moved to two plans at the same time end up in one of them", async () => {
    await createUsageKeys(inPlans("reads-standard", "writes-standard"));
    contention = contentionFrom(1);
    await Promise.all([
      assignUsageKeys(inPlans("reads-raised", "writes-raised")),
      assignUsageKeys(inPlans("reads-highest", "writes-highest")),
    ]);
    expect([plansOf(reads).length, plansOf(writes).length]).toEqual([2, 1]);
  });

  it("fail with the gateway's error if it rejects every attempt", async () => {
    contention = () => "failed";
    const keys = withinTime(500, () => createUsageKeys(inPlans("reads-standard", "writes-standard")));
    await expect(keys).rejects.toThrow("concurrent modification");
  });
});

/** Half of the changes are answered 409, and half of those took effect. */
function contentionFrom(seed: number): Contention {
  let state = seed;
  const outcomes = ["failed", "took effect", undefined, undefined] as const;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return outcomes[state >>> 30];
  };
}
