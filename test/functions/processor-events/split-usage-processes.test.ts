import { afterEach, describe, expect, it, vi } from "vitest";
import { layOutUsage } from "../../../shared/controls/lay-out-usage.ts";
import { readProgramScope } from "../../../shared/controls/read-controls.ts";
import {
  endLease,
  leaseProgramControls,
  programRulebooks,
  readProgramControls,
} from "../../../shared/controls/rulebooks.ts";
import { partCount } from "../../../shared/controls/shares.ts";
import { usageParts } from "../../../shared/controls/usage.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenSplitProgram } from "../../harness/given-split-program.ts";

const approved = { approved: true };

async function given() {
  const program = await givenSplitProgram({ amount: 64_000, count: 1_000, window: "day" });
  await program.authorize(1_000);
  await program.split();
  expect(await program.parts()).toBe(partCount);
  const splitNow = async () => (await usageParts.at(program.programId, 0).get())?.split;
  return { ...program, splitNow };
}

afterEach(() => void vi.useRealTimers());

describe("a split usage, by processes that know different things", () => {
  it("is laid out once after a change of the time zone", async () => {
    const program = await given();
    const { programId } = program;
    // Another process knows it already.
    await setProgramSettings(programId, { timeZone: "Asia/Tokyo" });
    const own = await usageParts.at(programId, 0).get();
    const scope = { ...(await readProgramScope(programId, own)), timeZone: "Asia/Tokyo" };
    await layOutUsage(programId, scope, 1);
    const laidOut = await program.splitNow();
    expect(laidOut).toMatchObject({ timeZone: "Asia/Tokyo" });
    expect(await program.authorize(1)).toMatchObject(approved);
    expect(await program.splitNow()).toMatchObject({ id: laidOut?.id });
  });

  it("gets back what was counted under a window that the process does not know yet", async () => {
    const program = await given();
    const { programId } = program;
    const old = await readProgramControls(programId);
    const { timeZone: _, ...rulebook } = old;
    const velocity = { amount: 64_000, count: 1_000, window: "week" as const };
    const controls = old.controls.map((one) => ({ ...one, velocity, countsFrom: timestamp() }));
    await programRulebooks
      .at(programId)
      .updateNow({ set: { ...rulebook, version: old.version + 1, controls } });
    endLease(programId);
    const authorizationId = newId("hold");
    expect(await program.authorize(5, authorizationId)).toMatchObject(approved);
    expect((await program.splitNow())?.rulebook).toBe(old.version + 1);
    program.forget();
    await leaseProgramControls(programId, async () => old);
    await program.send({ kind: "authorization_reversal", authorizationId });
    endLease(programId);
    expect(await program.authorize(64_000)).toMatchObject(approved);
    expect(await program.authorize(1)).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  });

  it("gets back what a process whose clock is ahead counted in the next period", async () => {
    const midnight = new Date().setUTCHours(24, 0, 0, 0);
    const at = (ms: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: midnight + ms, shouldAdvanceTime: true });
    at(-4_000);
    const program = await given();
    at(2_000);
    const authorizationId = newId("hold");
    expect(await program.authorize(500, authorizationId)).toMatchObject(approved);
    at(-2_000);
    program.forget();
    await program.send({ kind: "authorization_reversal", authorizationId });
    at(70_000);
    expect(await program.used()).toEqual({ amount: 0, count: 0 });
    expect(await program.authorize(64_000)).toMatchObject(approved);
  });
});
