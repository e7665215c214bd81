import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GatheredPuts } from "../../../../shared/platform/table/gathered-puts.ts";
import type { Key } from "../../../../shared/platform/table/keys.ts";
import { firstCalls, type InjectedFaults, injectFaults, interrupt } from "../../../harness/faults.ts";
import { storedItem } from "../../../harness/stored.ts";

const isWrite = ({ command }: { readonly command: string }) => command === "BatchWriteItem";
const record = (sk: string): Key => ({ pk: "GATHERED", sk });

async function untilWriting({ calls }: InjectedFaults): Promise<void> {
  await vi.waitFor(() => expect(calls.some(isWrite)).toBe(true), { interval: 1 });
}

describe("items that are put by simultaneous work", () => {
  it("share a write if they come within milliseconds", async () => {
    using faults = injectFaults(() => undefined);
    const successes = new GatheredPuts(9);
    const first = successes.write(record("early"));
    await delay(1);
    await Promise.all([first, successes.write(record("late"))]);
    expect(faults.calls.filter(isWrite)).toHaveLength(1);
    for (const sk of ["early", "late"]) expect(await storedItem(record(sk))).toEqual(record(sk));
  });

  it.each([1, 2, 10])("are written at once when the last of %i has come", async (count) => {
    using faults = injectFaults(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const successes = new GatheredPuts(count);
    await Promise.all(Array.from({ length: count }, (_, index) => successes.write(record(`${index}`))));
    expect(faults.calls.filter(isWrite)).toHaveLength(1);
  });

  it("share the next write if one is under way, and copies have one record", async () => {
    using faults = injectFaults(() => undefined);
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    using _ = interrupt(
      (command) => command.startsWith("BatchWrite"),
      () => {
        begun.resolve();
        return gate.promise;
      },
    );
    const successes = new GatheredPuts(9);
    const writing = [successes.write(record("1"))];
    await begun.promise;
    writing.push(successes.write(record("2")));
    // Longer than successes are gathered: only the write under way keeps them together.
    await delay(50);
    writing.push(...["3", "2"].map((sk) => successes.write(record(sk))));
    gate.resolve();
    await Promise.all(writing);
    expect(faults.calls.filter(isWrite)).toHaveLength(2);
    for (const sk of ["1", "2", "3"]) expect(await storedItem(record(sk))).toEqual(record(sk));
  });

  it("fail with their own write only", async () => {
    const successes = new GatheredPuts(9);
    using faults = injectFaults(firstCalls(4, "server-error", isWrite));
    const first = successes.write(record("lost"));
    await untilWriting(faults);
    const outcomes = await Promise.allSettled([first, successes.write(record("kept"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(await storedItem(record("lost"))).toBeUndefined();
    expect(await storedItem(record("kept"))).toEqual(record("kept"));
  });
});
