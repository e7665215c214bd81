import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { maintenanceDeadline } from "../../../shared/cards/maintenance-deadline.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { type Deadline, deadlinePut } from "../../../shared/platform/deadlines.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { log } from "../../../shared/platform/log.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";

const hour = 3_600_000;
/** Long after what other tests leave. */
let year = 2600;

async function given() {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year++, 0, 1) });
  await sweep(() => true);
  const programId = await givenStoredProgram(3_600);
  const wallet = await givenStoredWallet(programId);
  const deposit = async (amount: number): Promise<string> => {
    const path = { walletId: wallet };
    const event = apiEvent({
      route: "POST /wallets/{walletId}/bank-deposit",
      caller: { programId },
      path,
      body: { amount },
    });
    return (await replay(wallets, event)).body.data.depositId;
  };
  const available = async () => balancesIn(await expectBooksInOrder(programId), wallet).availableMinor;
  return { programId, deposit, available };
}

/** Charges of cards that do not exist: each fails, and is postponed. */
async function givenCharges(programId: string, count: number): Promise<void> {
  const charges = Array.from({ length: count }, () =>
    maintenanceDeadline(programId, { entityId: newId("card"), createdAt: timestamp() }, new Date()),
  );
  for (let from = 0; from < count; from += 25) await put(charges.slice(from, from + 25));
}

async function put(deadlines: readonly Deadline[]): Promise<void> {
  const requests = deadlines.map((deadline) => {
    const write = deadlinePut({ ...deadline, dueAt: new Date() });
    return { PutRequest: { Item: ("Put" in write && write.Put.Item) || {} } };
  });
  await table.send(new BatchWriteCommand({ RequestItems: { [environment.issuingTable]: requests } }));
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("the sweep's priorities", () => {
  it("executes urgent deadlines before charges that are due earlier, and again between batches of these", async () => {
    const { programId, deposit, available } = await given();
    await givenCharges(programId, 250);
    const early = await deposit(10);
    vi.setSystemTime(Date.now() + 1_000);
    const late = await deposit(100);
    vi.setSystemTime(Date.now() + hour - 1_000);
    vi.spyOn(log, "error").mockImplementation(() => undefined);
    const isCharge = (input: object) => JSON.stringify(input).includes("maintenance:");
    using faults = injectFaults(({ command, input }) => {
      // The second deposit falls due while the first batch of charges is under way.
      if (command === "UpdateItem" && isCharge(input) && Date.now() % hour === 0)
        vi.setSystemTime(Date.now() + 1_000);
      return undefined;
    });
    await sweep(() => true);
    const writes = faults.calls.filter(({ command }) => /TransactWriteItems|UpdateItem/.test(command));
    const places = (text: string) =>
      writes.flatMap(({ input }, index) => (JSON.stringify(input).includes(text) ? [index] : []));
    const charges = places("maintenance:");
    expect(charges).toHaveLength(250);
    expect(places(early)[0]).toBeLessThan(charges[0] ?? 0);
    expect(places(late)[0]).toBeGreaterThan(charges[0] ?? 0);
    expect(places(late)[0]).toBeLessThan(charges.at(-1) ?? 0);
    expect(await available()).toBe(110);
  });

  it("executes several at a time, at most sixteen", async () => {
    const { deposit, available } = await given();
    for (let count = 0; count < 24; count += 1) await deposit(1);
    vi.setSystemTime(Date.now() + 2 * hour);
    let [underWay, most] = [0, 0];
    // The first of them wait for a fifth one.
    const { promise: several, resolve: areSeveral } = Promise.withResolvers<void>();
    const name = "under-way";
    table.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName !== "TransactWriteItemsCommand") return next(args);
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay > 4) areSeveral();
        await several;
        return next(args).finally(() => (underWay -= 1));
      },
      { step: "initialize", name },
    );
    await sweep(() => true);
    table.middlewareStack.remove(name);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(16);
    expect(await available()).toBe(24);
  });

  it("measures how long the oldest has waited, of all and of the urgent ones", async () => {
    const { programId, deposit } = await given();
    const measured = vi.spyOn(log, "measured").mockImplementation(() => undefined);
    vi.spyOn(log, "error").mockImplementation(() => undefined);
    const ages = async () => {
      measured.mockClear();
      await sweep(() => true);
      const facts = measured.mock.calls.map(([, each]) => each as Record<string, unknown>);
      const sweepFacts = facts.find((each) => "OldestDueDeadlineSeconds" in each);
      return [sweepFacts?.OldestDueDeadlineSeconds, sweepFacts?.OldestUrgentDeadlineSeconds];
    };
    expect(await ages()).toEqual([0, 0]);
    await givenCharges(programId, 1);
    await deposit(1);
    vi.setSystemTime(Date.now() + hour + 30_000);
    expect(await ages()).toEqual([3_630, 30]);
    expect(await ages()).toEqual([0, 0]);
  });
});
