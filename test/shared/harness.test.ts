import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { environment } from "../../shared/platform/environment.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import { table } from "../../shared/platform/table/client.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { firstCalls, injectFaults } from "../harness/faults.ts";
import { measure } from "../harness/measure.ts";
import { storedItems } from "../harness/stored.ts";

const put = (pk: string) => ({
  name: "only",
  Put: {
    TableName: environment.issuingTable,
    Item: { pk, sk: "IT", count: 1 },
    ConditionExpression: "attribute_not_exists(pk)",
  },
});
const read = (pk: string) =>
  table.send(new GetCommand({ TableName: environment.issuingTable, Key: { pk, sk: "IT" } }));

describe("injected faults", () => {
  it("lets a conflict be retried by the transaction, not by the SDK", async () => {
    using faults = injectFaults(firstCalls(3, "conflict"));
    expect(await transact([put("conflict")])).toEqual({ committed: true });
    expect(faults.calls.map((call) => call.fault)).toEqual(["conflict", "conflict", "conflict", undefined]);
    expect(new Set(faults.calls.map((call) => call.input.ClientRequestToken)).size).toBe(1);
  });

  it.each(["throttle", "server-error", "lost"] as const)("lets the SDK retry after %s", async (kind) => {
    using faults = injectFaults(firstCalls(2, kind));
    expect(await transact([put(kind)])).toEqual({ committed: true });
    expect(faults.calls).toHaveLength(3);
  });

  it("commits once when the answer of a commit is lost", async () => {
    using faults = injectFaults(firstCalls(1, "timeout-after-commit"));
    expect(await transact([put("late")])).toEqual({ committed: true });
    expect(faults.calls).toHaveLength(2);
    expect((await read("late")).Item).toMatchObject({ count: 1 });
  });
});

describe("measured costs", () => {
  const write = (pk: string) =>
    table.send(new PutCommand({ TableName: environment.issuingTable, Item: { pk, sk: "IT" } }));

  it("counts calls that wait for one another", async () => {
    const { cost } = await measure(async () => {
      await write("one");
      await read("one");
      await read("one");
    });
    expect(cost.roundTrips).toBe(3);
    expect(cost.calls).toEqual(["PutItem", "GetItem", "GetItem"]);
  });

  it("counts calls side by side once", async () => {
    const { cost } = await measure(() => Promise.all([write("a"), write("b"), read("c")]));
    expect(cost.roundTrips).toBe(1);
    expect(cost.calls).toHaveLength(3);
  });

  it("sums the capacity units, twice for a transaction", async () => {
    const { cost } = await measure(async () => {
      await write("units");
      await read("units");
      await transact([put("units-of-a-transaction")]);
    });
    expect(cost).toMatchObject({ writeUnits: 3, readUnits: 0.5 });
  });
});

describe("what is stored of an owner", () => {
  it("is all of it, over pages, and nothing of those before and after it", async () => {
    const owners = ["prg_10", "prg_1", "prg_2", "prg_0"];
    const keys = owners.flatMap((owner) =>
      Array.from({ length: 230 }, (_, at) => ({ pk: `${owner}#${at}`, sk: "IT" })),
    );
    await writeBatch(keys.map((key) => ({ put: key })));
    for (const owner of owners)
      expect((await storedItems(owner)).map(({ pk }) => pk)).toEqual(
        keys.flatMap(({ pk }) => (pk.startsWith(`${owner}#`) ? pk : [])).toSorted(),
      );
    expect(await storedItems("prg_")).toEqual([]);
  });
});
