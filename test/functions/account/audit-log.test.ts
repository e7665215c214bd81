import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import { environment } from "../../../shared/platform/environment.ts";
import { earliestId } from "../../../shared/platform/id.ts";
import { inLanes } from "../../../shared/platform/in-lanes.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { auditEntries } from "../../../shared/tenancy/audit-log.ts";
import { measure } from "../../harness/measure.ts";
import { givenAccount } from "./given-account.ts";

/** One page reads at most 50,000 records for a filter. */
const many = 50_001;
const since = Date.parse("2025-01-01T00:00:00.000Z");
const timeOf = (index: number) => new Date(since + index * 60_000);
const idOf = (index: number) => `${earliestId("audit", timeOf(index))}${"0".repeat(16)}`;

/** An entry a minute. Of each two, the one with the later id says the earlier time. */
async function fill(tenantId: string): Promise<void> {
  const batches = Array.from({ length: Math.ceil(many / 25) }, (_, batch) =>
    Array.from({ length: Math.min(25, many - batch * 25) }, (_none, at) => batch * 25 + at).map((index) => ({
      PutRequest: {
        Item: {
          ...auditEntries.key(tenantId, idOf(index)),
          ...{ auditId: idOf(index), tenantId, action: "card.block", actor: "platform", subjectId: "Card" },
          ...{ requestId: "request", before: null, after: null, createdAt: timeOf(index ^ 1).toISOString() },
        },
      },
    })),
  );
  const write = (items: (typeof batches)[number]) =>
    table.send(new BatchWriteCommand({ RequestItems: { [environment.accountsTable]: items } }));
  await inLanes(batches, write, 8);
}

it("lists an audit log of any length from both its ends, and counts it in moments", async () => {
  const { tenantId, call, newProgram } = await givenAccount();
  const created = (await call("GET /account/audit-log")).body.total;
  await fill(tenantId);
  const ask = async (query: Record<string, string>) => {
    const { body, status } = await call("GET /account/audit-log", { query });
    expect([query, status]).toEqual([query, 200]);
    return [body.total, body.items.map(({ auditId }: { auditId: string }) => auditId)];
  };
  await newProgram();
  const total = many + created + 1;
  expect(await ask({ limit: "3", offset: String(created + 1) })).toEqual([
    total,
    [50_000, 49_998, 49_999].map(idOf),
  ]);
  expect(await ask({ sort: "asc", limit: "3", offset: "1" })).toEqual([total, [0, 3, 2].map(idOf)]);
  expect(await ask({ orderBy: "auditId", sort: "asc", limit: "3", offset: "49998" })).toEqual([
    total,
    [49_998, 49_999, 50_000].map(idOf),
  ]);
  await newProgram();
  const { result, cost } = await measure(() => ask({ limit: "1" }));
  expect([result[0], cost.readUnits < 600, cost.roundTrips]).toEqual([total + 1, true, 3]);
  const refused = await call("GET /account/audit-log", { query: { actor: "platform" } });
  expect([refused.status, refused.body.errors]).toMatchObject([422, [{ path: "query.after" }]]);
  expect(await ask({ actor: "platform", after: String(timeOf(49_998).getTime() / 1000 - 1) })).toEqual([
    3,
    [50_000, 49_998, 49_999].map(idOf),
  ]);
}, 120_000);
