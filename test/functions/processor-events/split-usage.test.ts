import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endLease, programRulebooks } from "../../../shared/controls/rulebooks.ts";
import { partCount } from "../../../shared/controls/shares.ts";
import { usageParts } from "../../../shared/controls/usage.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults, interrupt } from "../../harness/faults.ts";
import { givenSplitProgram } from "../../harness/given-split-program.ts";
import { measure } from "../../harness/measure.ts";

const declined = { approved: false, declineReason: "CONTROL_DECLINED" };
const approved = { approved: true };

/** Of all parts. */
function nthReading(nth: number) {
  let readings = 0;
  return (command: string, input: string) => {
    if (command.startsWith("BatchGet") && input.length > 5_000) readings += 1;
    return readings === nth;
  };
}

function nthWrite(nth: number, authorizationId: string) {
  let writes = 0;
  return (command: string, input: string) => {
    const isOwn = command.startsWith("TransactWrite") && input.includes(authorizationId);
    if (isOwn) writes += 1;
    return isOwn && writes === nth;
  };
}

describe("the split usage of a Program's velocity", () => {
  let given: Awaited<ReturnType<typeof givenSplitProgram>>;
  const lifetime = { amount: 64_000, count: 1_000, window: "lifetime" } as const;
  beforeEach(async () => {
    given = await givenSplitProgram(lifetime);
    expect(await given.authorize(1_000)).toMatchObject(approved);
    await given.split();
    expect(await given.parts()).toBe(partCount);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const expectUsed = async (amount: number, count: number) => {
    expect(await given.used()).toEqual({ amount, count });
    expect(await given.listed()).toEqual({ amount, count });
  };

  it("approves what is left in all parts together, and not a unit more", async () => {
    expect(await given.authorize(63_001)).toMatchObject({ ...declined, controlId: given.controlId });
    expect(await given.authorize(63_000)).toMatchObject(approved);
    expect(await given.authorize(1)).toMatchObject(declined);
    await expectUsed(64_000, 2);
  });

  it("declines without a write beside the decline's own", async () => {
    using faults = injectFaults(() => undefined);
    await given.authorize(63_001);
    const writes = faults.calls.filter(({ command }) => /^(Update|Put|TransactWrite)/.test(command));
    expect(writes).toHaveLength(1);
    expect(await given.parts()).toBe(partCount);
  });

  it("takes one round trip for an authorization of a part that this process wrote last", async () => {
    await given.authorize(1);
    await given.authorize(1);
    const { cost } = await measure(() => given.authorize(1));
    expect(cost.roundTrips).toBe(1);
  });

  it("counts a force post above the limit, and then approves nothing anywhere", async () => {
    await given.send({ kind: "clearing", amount: 70_000, final: true });
    for (let n = 0; n < 5; n += 1) {
      given.forget();
      expect(await given.authorize(1)).toMatchObject(declined);
    }
    await expectUsed(71_000, 2);
  });

  it.each([
    ["less", 1_005, 6],
    ["more", 100_000, 99_001],
  ])("obeys a limit that is changed to %s", async (_, amount, tooMuch) => {
    const { version, ...rulebook } = (await programRulebooks.at(given.programId).get()) ?? { version: 0 };
    const controls = (rulebook as { controls: object[] }).controls.map((control) => ({
      ...control,
      velocity: { ...lifetime, amount },
    }));
    const stored = programRulebooks.at(given.programId);
    await stored.updateNow({ set: { version: version + 1, controls: controls as never } });
    endLease(given.programId);
    expect(await given.authorize(tooMuch)).toMatchObject(declined);
    expect(await given.authorize(tooMuch - 1)).toMatchObject(approved);
    expect(await given.authorize(1)).toMatchObject(declined);
  });

  it("does not decline by a sum from which another event takes meanwhile", async () => {
    const authorizationId = newId("hold");
    await given.authorize(500, authorizationId);
    using _ = interrupt(nthReading(2), () => given.send({ kind: "authorization_reversal", authorizationId }));
    expect(await given.authorize(63_000)).toMatchObject(approved);
    await expectUsed(64_000, 2);
  });

  it("is shown as at one moment, however often its parts are written meanwhile", async () => {
    for (let n = 0; n < 3; n += 1) await given.authorize(100);
    // Between the two readings of each of three attempts.
    const pauses = [2, 4, 6].map((nth) => interrupt(nthReading(nth), () => given.authorize(100)));
    using faults = injectFaults(() => undefined);
    expect(await given.used()).toEqual({ amount: 1_600, count: 7 });
    for (const pause of pauses) pause[Symbol.dispose]();
    expect(faults.calls.filter(({ command }) => command === "UpdateItem")).toHaveLength(partCount);
    expect(await given.authorize(62_400)).toMatchObject(approved);
    expect(await given.authorize(1)).toMatchObject(declined);
  });

  it("is merged by the next event after an hour", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_700_000, shouldAdvanceTime: true });
    expect(await given.authorize(10)).toMatchObject(approved);
    expect(await given.parts()).toBe(1);
    expect(await usageParts.at(given.programId, 5).get()).toBeUndefined();
    await expectUsed(1_010, 2);
  });

  it("is laid out by the next event if the process that closed its parts died", async () => {
    const close = { set: { closed: true }, increase: { version: 1 } };
    for (const part of [0, 1, 2]) await usageParts.at(given.programId, part).updateNow(close);
    given.forget();
    expect(await given.authorize(10)).toMatchObject(approved);
    await expectUsed(1_010, 2);
  });

  it("is not split if a part would soon lack: small counts, or large amounts", async () => {
    const small = await givenSplitProgram({ count: 5, window: "day" });
    await small.authorize(1);
    await small.split();
    expect(await small.parts()).toBe(1);
    await given.split(1_000);
    expect(await given.parts()).toBe(1);
    await expectUsed(1_000, 1);
  });

  /** An authorization that loses the usage to another one three times. */
  const contend = async (hot: typeof given, amount: number) => {
    const [, otherCardId] = hot.cardIds;
    const authorizationId = newId("hold");
    const losses = [1, 2, 3].map((nth) =>
      interrupt(nthWrite(nth, authorizationId), () => hot.authorize(1, undefined, { cardId: otherCardId })),
    );
    const answer = await hot.authorize(amount, authorizationId);
    for (const loss of losses) loss[Symbol.dispose]();
    return answer;
  };

  it("is split by contention", async () => {
    const hot = await givenSplitProgram({ amount: 1_000_000, window: "day" });
    await hot.authorize(1);
    expect(await contend(hot, 1)).toMatchObject(approved);
    expect(await hot.parts()).toBe(partCount);
    expect(await hot.used()).toEqual({ amount: 5, count: 5 });
  });

  it("is kept whole for a while if a large amount has merged it", async () => {
    expect(await given.authorize(2_000)).toMatchObject(approved);
    expect(await given.parts()).toBe(1);
    expect(await contend(given, 1)).toMatchObject(approved);
    expect(await given.parts()).toBe(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11_000, shouldAdvanceTime: true });
    expect(await contend(given, 1)).toMatchObject(approved);
    expect(await given.parts()).toBe(partCount);
    await expectUsed(3_008, 10);
  });
});

describe("the split usage of a window that ends", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(["day", "PT10M"] as const)("of %s begins anew in every part", async (window) => {
    const given = await givenSplitProgram({ amount: 64_000, window });
    const authorizationId = newId("hold");
    await given.authorize(1_000, authorizationId);
    await given.split();
    for (let n = 0; n < 5; n += 1) await given.authorize(100);
    // What another part counted is given back before it is over.
    given.forget();
    await given.send({ kind: "authorization_reversal", authorizationId });
    expect(await given.used()).toEqual({ amount: 500, count: 5 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * 86_400_000, shouldAdvanceTime: true });
    expect(await given.used()).toEqual({ amount: 0, count: 0 });
    expect(await given.authorize(64_001)).toMatchObject(declined);
    expect(await given.authorize(64_000)).toMatchObject(approved);
    expect(await given.listed()).toEqual({ amount: 64_000, count: 1 });
  });
});
