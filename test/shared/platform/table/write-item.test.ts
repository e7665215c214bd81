import { describe, expect, test } from "vitest";
import { environment } from "../../../../shared/platform/environment.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { issuingKey } from "../../../../shared/platform/table/keys.ts";
import { ContendedError } from "../../../../shared/platform/table/retry.ts";
import { updateItem } from "../../../../shared/platform/table/write-item.ts";
import { withinTime } from "../../../../shared/platform/time-budget.ts";
import { firstCalls, injectFaults } from "../../../harness/faults.ts";
import { storedItem } from "../../../harness/stored.ts";

const key = () => issuingKey.cardholder(newId("program"), newId("cardholder"));
const increment = (at: ReturnType<typeof key>, condition?: string) =>
  updateItem("counter", {
    TableName: environment.issuingTable,
    Key: at,
    UpdateExpression: "ADD openCards :one",
    ExpressionAttributeValues: { ":one": 1 },
    ...(condition && { ConditionExpression: condition }),
  });

describe("a conditional update", () => {
  test("answers the item as it became", async () => {
    const at = key();
    await increment(at);
    expect(await increment(at)).toEqual({ updated: true, item: { ...at, openCards: 2 } });
  });

  test("answers what its condition met, an item or nothing", async () => {
    const at = key();
    expect(await increment(at, "attribute_exists(pk)")).toEqual({ updated: false, stored: undefined });
    await increment(at);
    const refused = await increment(at, "openCards > :one");
    expect(refused).toEqual({ updated: false, stored: { ...at, openCards: 1 } });
  });

  test("waits for a transaction that has the item in hand, and is carried out once", async () => {
    const at = key();
    using faults = injectFaults(firstCalls(3, "conflict"));
    expect(await increment(at)).toMatchObject({ updated: true });
    expect(faults.calls.map(({ fault }) => fault)).toEqual(["conflict", "conflict", "conflict", undefined]);
    expect(await storedItem(at)).toMatchObject({ openCards: 1 });
  });

  test("gives up when the time for retries is up, with nothing written", async () => {
    const at = key();
    using faults = injectFaults(firstCalls(Number.POSITIVE_INFINITY, "conflict"));
    await expect(withinTime(100, () => increment(at))).rejects.toThrow(ContendedError);
    expect(faults.calls.length).toBeGreaterThan(1);
    expect(await storedItem(at)).toBeUndefined();
  });
});
