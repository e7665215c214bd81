import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { auditEntries } from "../../../shared/tenancy/audit-log.ts";
import { operate } from "../../harness/administration.ts";
import { by } from "./expect-rejected.ts";

test("record-redrive writes who redrove which dead letters into the platform's audit log", async () => {
  const queue = "callback-delivery";
  expect(await operate("record-redrive", { queue })).toEqual({ queue });
  await operate("record-redrive", { queue, messageId: "m-1" });
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: process.env.ACCOUNTS_TABLE,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": auditEntries.key("PLATFORM", "").pk },
    }),
  );
  const common = { action: "dead-letter.redrive", actor: by, before: { queue } };
  expect(Items).toEqual([
    expect.objectContaining({ ...common, subjectId: queue }),
    expect.objectContaining({ ...common, subjectId: "m-1" }),
  ]);
});
