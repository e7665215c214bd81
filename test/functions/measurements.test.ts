import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as processor } from "../../functions/processor-events/handler.ts";
import { Metrics } from "../../infra/local/telemetry.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { newId } from "../../shared/platform/id.ts";
import { log } from "../../shared/platform/log.ts";
import { ContendedError } from "../../shared/platform/table/retry.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { firstCalls, injectFaults } from "../harness/faults.ts";
import { givenNetwork } from "../harness/given-network.ts";
import { givenStoredCard } from "../harness/given-stored.ts";
import { batchOf } from "../harness/given-webhooks.ts";
import { givenProcessor } from "./processor-events/given-processor.ts";

// Measurements are written at every level.
process.env.LOG_LEVEL = "ERROR";

const lines: string[] = [];

beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Sums by environment and by other dimensions, as in CloudWatch. */
function sums(): Record<string, number> {
  const metrics = new Metrics();
  for (const line of lines.splice(0)) metrics.hear(line);
  expect(metrics.all().faults).toEqual([]);
  return Object.fromEntries(
    metrics.all().metrics.map(({ namespace, name, dimensions: { environment, ...by }, sum }) => {
      expect({ namespace, environment }).toEqual({ namespace: "CardIssuing", environment: "local" });
      return [[name, ...Object.values(by)].join(" "), sum];
    }),
  );
}

const authorization = (amount: number, more: { eventId?: string } = {}) =>
  ({ kind: "authorization", authorizationId: newId("hold"), amount, ...more }) as const;

describe("an authorization", () => {
  it("counts once, even if its write was retried", async () => {
    const network = await givenNetwork();
    for (const kind of ["conflict", "throttle", "timeout-after-commit"] as const) {
      using _ = injectFaults(firstCalls(2, kind));
      expect((await network.apply(authorization(100))).approved).toBe(true);
    }
    expect(sums()).toEqual({ Authorizations: 3, AuthorizationsApproved: 3, WriteConflicts: 2 });
    expect(await network.balances()).toEqual([9_700, 300, 10_000]);
  });

  it("counts once, however often its event comes", async () => {
    const network = await givenNetwork();
    const event = authorization(100, { eventId: newId("event") });
    await Promise.all([network.apply(event), network.apply(event)]);
    await network.apply(event);
    expect(sums()).toMatchObject({ Authorizations: 1, AuthorizationsApproved: 1 });
  });

  it("that is declined counts, and has its reason in the log", async () => {
    const network = await givenNetwork();
    await network.apply(authorization(10_001));
    await network.setStatus(2);
    await network.apply(authorization(1));
    const reasons = lines.map((line) => JSON.parse(line).reason);
    expect(reasons.filter(Boolean)).toEqual(["INSUFFICIENT_FUNDS", "CARD_ON_HOLD"]);
    expect(sums()).toEqual({
      Authorizations: 2,
      AuthorizationsApproved: 0,
    });
  });

  it("has the same result without the measurement", async () => {
    const network = await givenNetwork();
    const environmentName = process.env.ENVIRONMENT_NAME;
    delete process.env.ENVIRONMENT_NAME;
    try {
      expect((await network.apply(authorization(100))).approved).toBe(true);
    } finally {
      process.env.ENVIRONMENT_NAME = environmentName;
    }
    vi.spyOn(log, "measured").mockImplementation(() => {
      throw new Error("The log is full.");
    });
    using _ = injectFaults(firstCalls(1, "conflict"));
    expect((await network.apply(authorization(100))).approved).toBe(true);
    expect(sums()).toEqual({});
    expect(await network.balances()).toEqual([9_800, 200, 10_000]);
  });

  it("that others never let through counts as given up, and as no authorization", async () => {
    const network = await givenNetwork();
    using _ = injectFaults(firstCalls(Number.POSITIVE_INFINITY, "conflict"));
    await expect(withinTime(100, () => network.send(authorization(100)))).rejects.toThrow(ContendedError);
    expect(sums()).toEqual({ WriteConflicts: expect.any(Number), WritesGivenUp: 1 });
  });
});

it("a deposit event that contradicts the books counts as rejected", async () => {
  const { programId, send, pending, reversed, cleared } = await givenProcessor();
  const depositId = newId("deposit");
  await send(pending(depositId));
  await send(reversed(depositId));
  lines.length = 0;
  const message = { programId, eventId: newId("event"), ...cleared(depositId) };
  const answer = await processor(batchOf("processor-events", [message]));
  expect(answer).toEqual({ batchItemFailures: [] });
  expect(sums()).toEqual({ DepositEventsRefused: 1 });
});

it("a deposit that goes to suspense counts once, however often its event comes", async () => {
  const { programId, send, cleared } = await givenProcessor();
  const accountId = await givenStoredCard(programId, CardStatus.closed);
  const depositId = newId("deposit");
  const details = { accountType: 1, accountId, amount: 100, channel: "bank", depositId } as const;
  lines.length = 0;
  for (const _ of [1, 2]) await send({ kind: "deposit_pending", ...details }, "suspended");
  await send(cleared(depositId));
  expect(sums()).toEqual({ DepositsSuspended: 1 });
});

it("an event that decides nothing measures nothing", async () => {
  const network = await givenNetwork();
  await network.apply({ kind: "refund", amount: 100 });
  expect(sums()).toEqual({});
});
