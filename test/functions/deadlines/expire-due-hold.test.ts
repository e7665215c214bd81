import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expireDueHold } from "../../../functions/deadlines/due-network-events.ts";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { holdDeadlineId } from "../../../shared/authorizations/holds/hold-rules.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { givenWalk } from "../../harness/given-walk.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

/** Each test has a year of its own, so that it does not sweep what another has left. */
let year = 2050;
const day = 86_400_000;
const authorizationId = "A";

function givenTime(): void {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 0, 1) });
}

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** The Program's changes are walked each day. */
async function given() {
  const network = await givenNetwork();
  await givenWalk(network.programId, new Date());
  return network;
}

/** Seven days, with a sweep on the fifth: it finds what is open, and gives it its deadline. */
async function passWeek(): Promise<void> {
  pass(5 * day);
  await sweepDeadlines();
  pass(2 * day);
}

const dueHolds = (items: Awaited<ReturnType<Network["everything"]>>) =>
  items.filter(({ sk, dueShard }) => sk === "HOLD" && dueShard !== undefined);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a hold that the network does not resolve", () => {
  it("whose expiry fails is tried again a minute later", async () => {
    givenTime();
    const { apply, balances, everything } = await given();
    await apply({ kind: "authorization", authorizationId, amount: 700 });
    await passWeek();
    {
      using _ = injectFaults(({ command }) =>
        command === "TransactWriteItems" ? "server-error" : undefined,
      );
      await sweepDeadlines();
    }
    expect((await everything()).find(({ sk }) => sk === "HOLD")).toMatchObject({ failures: 1 });
    pass(59_999);
    await sweepDeadlines();
    expect(await balances()).toEqual([9_300, 700, 10_000]);
    pass(1);
    await sweepDeadlines();
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("is released once, even if sweeps and the network's own expiry race", async () => {
    givenTime();
    const { apply, send, balances, records } = await given();
    await apply({ kind: "authorization", authorizationId, amount: 700 });
    await passWeek();
    await Promise.all([
      sweepDeadlines(),
      sweepDeadlines(),
      send({ kind: "authorization_expiry", authorizationId }),
    ]);
    await sweepDeadlines();
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    const released = (await records()).filter(({ releasedMinor }) => releasedMinor === 700);
    expect(released).toHaveLength(1);
  });

  it("stays open with amount 0 if an event releases it during the sweep", async () => {
    givenTime();
    const { apply, send, records } = await given();
    await apply({ kind: "authorization", authorizationId, amount: 700 });
    await passWeek();
    const real = table.send.bind(table);
    let reads = 0;
    vi.spyOn(table, "send").mockImplementation((async (command: { input: { Key?: { pk?: string } } }) => {
      const isHold = command instanceof GetCommand && command.input.Key?.pk?.includes("HOLD");
      if (isHold && ++reads === 2) {
        vi.mocked(table.send).mockImplementation(real as never);
        await apply({ kind: "authorization_reversal", authorizationId, amount: 700 });
      }
      return real(command as never);
    }) as never);
    await sweepDeadlines();
    expect(reads).toBe(2);
    expect((await records()).map(({ transType }) => transType)).not.toContain(13);
    expect(await send({ kind: "authorization_incremental", authorizationId, amount: 50 })).toMatchObject({
      approved: true,
    });
  });

  it("keeps its new deadline if it is renewed while a sweep reads the old one", async () => {
    givenTime();
    const { programId, apply, balances, everything } = await given();
    const dueAt = new Date(Date.now() + 7 * day);
    await apply({ kind: "authorization", authorizationId, amount: 100 });
    pass(6 * day);
    await sweepDeadlines();
    await apply({ kind: "authorization_reversal", authorizationId, amount: 100 });
    await apply({ kind: "authorization_incremental", authorizationId, amount: 50 });
    pass(5 * day);
    await sweepDeadlines();
    expect(dueHolds(await everything())).toHaveLength(1);
    const deadlineId = holdDeadlineId(authorizationId);
    const carrier = holds.key(programId, authorizationId);
    const read = {
      ownerId: programId,
      deadlineId,
      kind: "expire_hold",
      authorizationId,
      dueAt,
      carrier,
    } as const;
    await expireDueHold(read);
    expect(await balances()).toEqual([9_950, 50, 10_000]);
    expect(dueHolds(await everything())).toHaveLength(1);
  });
});
