import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endLease, readProgramControls } from "../../../shared/controls/rulebooks.ts";
import { partCount } from "../../../shared/controls/shares.ts";
import { type Usage, usageParts } from "../../../shared/controls/usage.ts";
import { type FaultKind, firstCalls, injectFaults, isWrite } from "../../harness/faults.ts";
import { givenSplitProgram } from "../../harness/given-split-program.ts";

const approved = { approved: true };

describe("a part of a split usage that another process uses", () => {
  let given: Awaited<ReturnType<typeof givenSplitProgram>>;
  beforeEach(async () => {
    given = await givenSplitProgram({ amount: 64_000, count: 1_000, window: "lifetime" });
    await given.authorize(1);
    await given.split();
    // This process knows two parts: the one that it writes, and how all were laid out.
    await given.authorize(1);
  });
  afterEach(() => void vi.useRealTimers());

  const parts = () =>
    Promise.all(Array.from({ length: partCount }, (_, part) => usageParts.at(given.programId, part).get()));
  const counted = (usage: Usage | undefined) => usage?.controls[given.controlId]?.cells;
  const ownPart = async () => {
    const found = await parts();
    return found.findIndex((usage, part) => part > 0 && (usage?.version ?? 0) > (usage?.split?.id ?? 0));
  };
  const commandsOf = async (work: () => Promise<unknown>, fault?: FaultKind) => {
    // Finding the part may have taken longer than a lease.
    endLease(given.programId);
    await readProgramControls(given.programId);
    using faults = injectFaults(fault ? firstCalls(1, fault, isWrite) : () => undefined);
    await work();
    // A lease is read by `GetItem`, a part by `BatchGetItem`.
    return faults.calls.map(({ command }) => command).filter((command) => command !== "GetItem");
  };
  const authorized = async () => expect(await given.authorize(1)).toMatchObject(approved);

  it("is left to it: the event counts in another part, without a read", async () => {
    const part = await ownPart();
    const stored = usageParts.at(given.programId, part);
    await stored.updateNow({ increase: { version: 1 } });
    const before = await stored.get();
    expect(await commandsOf(authorized)).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(await stored.get()).toEqual(before);
    expect(await commandsOf(authorized)).toEqual(["TransactWriteItems"]);
    expect(await given.used()).toEqual({ amount: 4, count: 4 });
  });

  it("is taken over if a second one is lost as well", async () => {
    for (let part = 0; part < partCount; part += 1)
      await usageParts.at(given.programId, part).updateNow({ increase: { version: 1 } });
    const writes = await commandsOf(authorized);
    expect(writes).toEqual(["TransactWriteItems", "TransactWriteItems", "TransactWriteItems"]);
    expect(await commandsOf(authorized)).toEqual(["TransactWriteItems"]);
    expect(await given.used()).toEqual({ amount: 4, count: 4 });
  });

  it("is left to it also while its write is under way", async () => {
    const part = await ownPart();
    const before = await usageParts.at(given.programId, part).get();
    expect(await commandsOf(authorized, "usage-conflict")).toEqual([
      "TransactWriteItems",
      "TransactWriteItems",
    ]);
    const after = await usageParts.at(given.programId, part).get();
    expect(counted(after)).toEqual(counted(before));
    expect(await given.used()).toEqual({ amount: 3, count: 3 });
  });

  it("is read after an event has lost three", async () => {
    using faults = injectFaults(firstCalls(4, "usage-conflict", isWrite));
    await authorized();
    expect(faults.calls.map(({ command }) => command)).toContain("BatchGetItem");
    expect(await given.used()).toEqual({ amount: 3, count: 3 });
  });

  it("does not let a limit be exceeded", async () => {
    using _ = injectFaults((call) => (isWrite(call) && call.number % 3 === 0 ? "usage-conflict" : undefined));
    const answers: unknown[] = [];
    for (let n = 0; n < 8; n += 1) answers.push((await given.authorize(9_000)).approved);
    expect(answers).toEqual([true, true, true, true, true, true, true, false]);
    expect((await given.used()).amount).toBe(63_002);
  });

  it("is kept through a conflict of the Card", async () => {
    expect(await commandsOf(authorized, "conflict")).toEqual(["TransactWriteItems", "TransactWriteItems"]);
    expect(await commandsOf(authorized)).toEqual(["TransactWriteItems"]);
  });
});

describe("a usage that is whole", () => {
  it("is split by an event that meets three writes under way", async () => {
    const given = await givenSplitProgram({ amount: 1_000_000, window: "day" });
    await given.authorize(1);
    using _ = injectFaults(firstCalls(2, "usage-conflict", isWrite));
    expect(await given.authorize(1)).toMatchObject(approved);
    expect(await given.parts()).toBe(1);
    using __ = injectFaults(firstCalls(3, "usage-conflict", isWrite));
    expect(await given.authorize(1)).toMatchObject(approved);
    expect(await given.parts()).toBe(partCount);
    expect(await given.used()).toEqual({ amount: 3, count: 3 });
  });
});
