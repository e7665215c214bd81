import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ControlRules, Velocity } from "../../../shared/contract/controls.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { openScope, type SimulationScope, simulateAtOnce } from "../../../shared/simulations/simulate.ts";
import { simulateInSteps } from "../../../shared/simulations/simulate-in-steps.ts";
import { type Simulation, simulationPuts, simulations } from "../../../shared/simulations/simulation.ts";
import { getProgram } from "../../../shared/tenancy/programs/program.ts";
import { type GivenControl, type GivenFunding, givenReplayed } from "./given-replayed.ts";
import { schedule, step } from "./timed-steps.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: beginMs });
});
afterEach(() => void vi.useRealTimers());

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
/** Before the end of daylight saving in Berlin. */
const beginMs = Date.parse("2026-10-23T20:00:00Z");
const days = 3;
/** When the simulation begins. */
const sinceMs = beginMs + dayMs;

const window = fc.constantFrom<Velocity["window"]>(
  "authorization",
  "day",
  "week",
  "lifetime",
  "PT10M",
  "PT6H",
  "P1D",
);
const velocity = fc
  .record({
    window,
    amount: fc.integer({ min: 0, max: 900 }),
    count: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
  })
  .map(({ count, ...given }): Velocity => ({ ...given, ...(given.window !== "authorization" && { count }) }));
const rules: fc.Arbitrary<ControlRules> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ velocity }) },
  fc.constantFrom<ControlRules>(
    { singleUse: true },
    { merchantLock: true },
    { cash: "block" },
    { currencies: { allow: ["840"] } },
    { entryModes: { allow: ["chip", "ecommerce"] } },
    { merchants: { mcc: { block: ["5500-5599"] }, country: { block: ["US"] } } },
  ),
);
const control: fc.Arbitrary<GivenControl> = fc.record({
  owner: fc.constantFrom("program" as const, "cardholder" as const, "card" as const),
  rules,
});

const limit = fc.record({
  amount: fc.integer({ min: 50, max: 2_000 }),
  window: fc.constantFrom("authorization", "day", "week", "lifetime", "PT10M", "PT6H", "P1D"),
});
/** Half of the Cards spend from the Wallet, and most of these up to a limit. */
const funded = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: limit },
);
const funding: fc.Arbitrary<GivenFunding> = fc.record({
  walletMinor: fc.oneof(fc.nat({ max: 1_500 }), fc.nat({ max: 9_000 })),
  limits: fc.tuple(funded, funded, funded),
});

const history = fc.record({
  funding,
  openingMinor: fc.oneof(fc.nat({ max: 1_500 }), fc.nat({ max: 9_000 })),
  partialApproval: fc.boolean(),
  timeZone: fc.constantFrom("Etc/UTC", "Europe/Berlin", "America/New_York"),
  others: fc.array(control, { maxLength: 1 }),
  simulated: control,
  earlier: fc.array(step, { maxLength: 12 }),
  steps: fc.array(step, { minLength: 20, maxLength: 45 }),
});
type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

/** Step by step, with nothing in memory between two of them. */
async function simulateInBackground(scope: SimulationScope): Promise<Simulation["result"]> {
  const { programId } = scope;
  const { simulation, writes } = simulationPuts(newId("simulation"), scope, new Date());
  const { simulationId } = simulation;
  await transact(writes);
  const detail: Record<string, unknown> = { simulationId };
  let event = {
    eventId: newId("event"),
    kind: "control.simulated" as const,
    programId,
    occurredAt: "",
    detail,
  };
  for (;;) {
    const detail = await simulateInSteps(event, 3);
    if (!detail) break;
    event = { ...event, detail };
  }
  return (await simulations.at(programId, simulationId).require()).result;
}

/** Returns how many the control declined. */
async function compare({ openingMinor, funding, others, simulated, ...given }: History): Promise<number> {
  vi.setSystemTime(beginMs);
  const feeSchedule = [{ feeType: 4, amount: 20, basisPoints: 1_000 }];
  const settings = { partialApproval: given.partialApproval, timeZone: given.timeZone, feeSchedule };
  const [real, fresh] = [
    await givenReplayed(settings, openingMinor, funding),
    await givenReplayed(settings, openingMinor, funding),
  ];
  const platforms = [real, fresh];
  for (const other of others) for (const platform of platforms) await platform.putControl(other);
  const earlier = schedule(
    given.earlier.map((one) => ({ ...one, pauseMs: one.pauseMs / 4 })),
    beginMs + minuteMs,
    [],
  );
  const later = schedule(given.steps, sinceMs, earlier);
  for (const event of earlier) for (const platform of platforms) await platform.send(event);
  vi.setSystemTime(sinceMs);
  const inForce = await fresh.putControl(simulated);
  for (const event of later) for (const platform of platforms) await platform.send(event);
  // Cards of the Wallet that are not simulated spend what they spent: here they did not.
  const concerned = { card: 1, cardholder: 2, program: 3 }[simulated.owner];
  const granted = ({ answers }: typeof real, id: string) =>
    answers.get(id)?.approved && answers.get(id)?.amount;
  if (later.some(({ id, card }) => card >= concerned && granted(real, id) !== granted(fresh, id))) return 0;
  const untilMs = Math.max(sinceMs, ...later.map(({ atMs }) => atMs)) + 1;
  vi.setSystemTime(Math.max(untilMs, sinceMs + days * dayMs));
  const control = await real.putControl(simulated, "draft");
  const program = await getProgram(real.programId);
  const span = { since: new Date(sinceMs), until: new Date() };
  const scope = await openScope(program, { control, ...span });
  const found = await simulateAtOnce(scope);
  expect(await simulateInBackground(scope)).toEqual(found);

  const declined = later.filter(({ id }) => fresh.answers.get(id)?.controlId === inForce.entityId);
  const transIds = declined.map(({ id }) => real.answers.get(id)?.transId);
  const asked = declined.map(({ command: { ...one } }) => ("amount" in one ? (one.amount ?? 0) : 0));
  expect(found?.items.map(({ transId, amount }) => ({ transId, amount }))).toEqual(
    transIds.map((transId, index) => ({ transId, amount: asked[index] })),
  );
  expect(found?.declined).toEqual({
    count: declined.length,
    amount: asked.reduce((sum, amount) => sum + amount, 0),
  });
  return declined.length;
}

const plain = { card: 0, pauseMs: minuteMs, details: {} };
const inTime = { byMs: 0, standIn: false, mayBeDone: false, withFee: false };
const paidOut = (amount: number) =>
  ({ do: "atm", amount, fee: 10, reply: "approve", cash: 0, advice: true, total: true }) as const;

/** What a later total gives back pays for the increment. */
const givenBack: History = {
  funding: { walletMinor: 0, limits: [] },
  openingMinor: 229,
  partialApproval: false,
  timeZone: "Etc/UTC",
  others: [],
  simulated: { owner: "program", rules: { velocity: { window: "authorization", amount: 0 } } },
  earlier: [],
  steps: [
    { do: "reversal", slot: 3, amount: 1, total: false, mayBeDone: false } as const,
    paidOut(68),
    paidOut(67),
    { do: "increment", slot: 3, amount: 153, reply: "approve", isLast: false } as const,
  ].map((one) => ({ ...plain, command: one, late: inTime })),
};

/** What was posted without a hold counts in the Card's limit, which declines before the control. */
const postedFirst: History = {
  ...givenBack,
  funding: { walletMinor: 4_000, limits: [{ amount: 600, window: "PT6H" }] },
  simulated: { owner: "cardholder", rules: { velocity: { window: "day", amount: 900, count: 0 } } },
  steps: [
    { do: "clearing", slot: 4, amount: 320, final: false, reference: undefined } as const,
    { do: "authorization", slot: 3, amount: 310, supportsPartial: false, reply: "approve" } as const,
  ].map((one) => ({ ...plain, command: one, late: inTime })),
};

it("a simulation declines what a fresh platform with the control declines", async () => {
  let declines = 0;
  await fc.assert(
    fc.asyncProperty(history, async (one) => {
      declines += await compare(one);
    }),
    // Shrinking would take longer than the limit.
    {
      numRuns: Number(process.env.SIMULATIONS ?? 20),
      endOnFailure: true,
      examples: [[givenBack], [postedFirst]],
    },
  );
  expect(declines).toBeGreaterThan(0);
}, 600_000);
