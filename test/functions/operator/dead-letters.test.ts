import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it, test } from "vitest";
import { table } from "../../../shared/platform/table/client.ts";
import { auditEntries } from "../../../shared/tenancy/audit-log.ts";
import { operate } from "../../harness/administration.ts";
import { type GivenTenant, givenTenant } from "../../harness/given-tenant.ts";
import { by, expectRejected, unknownProgram, unknownTenant } from "./expect-rejected.ts";

const letter = {
  queue: "processor-events",
  messageId: "m-1",
  kind: "deposit_cleared",
  reason: "Sent by mistake.",
};

describe("record-discard", () => {
  let tenant: GivenTenant;

  beforeAll(async () => {
    tenant = await givenTenant(1);
  });

  const discards = async (owner = tenant.tenantId) => {
    const { Items = [] } = await table.send(
      new QueryCommand({
        TableName: process.env.ACCOUNTS_TABLE,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": auditEntries.key(owner, "").pk },
      }),
    );
    return Items.filter(({ action }) => action === "dead-letter.discard");
  };

  it("is in the audit log of the Tenant that the dead letter belongs to", async () => {
    const [programId = ""] = tenant.programIds;
    const ids = { eventId: "e-1", "detail.programId": programId };
    expect(await operate("record-discard", { ...letter, ids })).toEqual({ messageId: "m-1" });
    await operate("record-discard", { ...letter, messageId: "m-2", ids: { tenantId: tenant.tenantId } });
    const [first, second] = await discards();
    expect(first).toMatchObject({
      tenantId: tenant.tenantId,
      programId,
      subjectId: "m-1",
      actor: by,
      before: { queue: "processor-events", kind: "deposit_cleared", ids },
      after: { reason: "Sent by mistake." },
    });
    expect(second).toMatchObject({ tenantId: tenant.tenantId, subjectId: "m-2" });
  });

  it("is in the platform's audit log if the dead letter belongs to no Tenant", async () => {
    const all = [{}, { eventId: "e-2" }, { programId: unknownProgram }];
    for (const ids of all) {
      expect(await operate("record-discard", { ...letter, ids })).toEqual({ messageId: "m-1" });
    }
    const entries = await discards("PLATFORM");
    expect(entries.map(({ actor, before }) => [actor, before.ids])).toEqual(all.map((ids) => [by, ids]));
  });

  it("is stored under the id of a Tenant that a restore has lost", async () => {
    await operate("record-discard", { ...letter, ids: { tenantId: unknownTenant } });
    expect(await discards(unknownTenant)).toEqual([expect.objectContaining({ actor: by, subjectId: "m-1" })]);
  });

  it("rejects a discard without a reason", async () => {
    await expectRejected("record-discard", { ...letter, ids: {}, reason: "" });
  });
});

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
  expect(Items.filter(({ action }) => action === common.action)).toEqual([
    expect.objectContaining({ ...common, subjectId: queue }),
    expect.objectContaining({ ...common, subjectId: "m-1" }),
  ]);
});
