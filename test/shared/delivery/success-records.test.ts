import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SuccessRecords } from "../../../shared/delivery/success-records.ts";
import type { Key } from "../../../shared/platform/table/keys.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { storedItem } from "../../harness/stored.ts";

const isWrite = ({ command }: { readonly command: string }) => command === "BatchWriteItem";

describe("the records of a batch's successes", () => {
  it("share the next write if one is under way, and copies have one record", async () => {
    using faults = injectFaults(() => undefined);
    const successes = new SuccessRecords();
    const record = (sk: string) => ({ pk: "SUCCESSES", sk });
    const first = successes.write(record("1"));
    await turn();
    await Promise.all([first, ...["2", "3", "2"].map((sk) => successes.write(record(sk)))]);
    expect(faults.calls.filter(isWrite)).toHaveLength(2);
    for (const sk of ["1", "2", "3"]) expect(await storedItem(record(sk))).toEqual(record(sk));
  });

  it("fail with their own write only", async () => {
    const successes = new SuccessRecords();
    const [lost, kept] = ["lost", "kept"].map((sk) => ({ pk: "SUCCESSES", sk })) as [Key, Key];
    using _ = injectFaults(firstCalls(4, "server-error", isWrite));
    const first = successes.write(lost);
    await turn();
    const outcomes = await Promise.allSettled([first, successes.write(kept)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect([await storedItem(lost), await storedItem(kept)]).toEqual([undefined, kept]);
  });
});
