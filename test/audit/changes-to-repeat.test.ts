import { randomUUID } from "node:crypto";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { lostChanges } from "../../infra/commands/restore/changes-to-repeat.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { operate } from "../harness/administration.ts";
import { givenApprovedCardholder, givenCard, givenProgram } from "../harness/given-cards.ts";
import { type GivenTenant, givenTenant } from "../harness/given-tenant.ts";

let tenant: GivenTenant;
beforeAll(async () => {
  tenant = await givenTenant(1);
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A copy of the accounts table as it is now. */
async function restoredNow(): Promise<string> {
  const TableName = `restored-${randomUUID()}`;
  await new DynamoDBClient().send(new CreateTableCommand({ ...inject("tableSchemas").accounts, TableName }));
  for await (const { Items = [] } of paginateScan(
    { client: table },
    { TableName: environment.accountsTable },
  )) {
    for (const Item of Items) await table.send(new PutCommand({ TableName, Item }));
  }
  return TableName;
}

/** The commands, those of platform administration without what is the same in all. */
async function repeated(restored: string): Promise<string[]> {
  const { accountsTable: former } = environment;
  const changes = await lostChanges({ client: table, former, restored, environment: "staging" });
  const lines = changes.map(({ line }) => line);
  return lines.map((line) => line.replace("npm run operator -- --environment staging ", ""));
}

test("revocations, removals and suspensions after the restored time are repeated in order, earlier ones are not", async () => {
  const { tenantId, programIds } = tenant;
  const [programId] = programIds;
  const [before, after] = [
    await operate("create-api-key", { tenantId, name: "one" }),
    await operate("create-api-key", { tenantId, name: "another" }),
  ];
  await operate("allow-ip", { tenantId, cidr: "203.0.113.0/24" });
  await operate("revoke-api-key", { tenantId, apiUserId: before.apiUserId });
  const restored = await restoredNow();
  await operate("revoke-api-key", { tenantId, apiUserId: after.apiUserId });
  await operate("disallow-ip", { tenantId, cidr: "203.0.113.0/24" });
  await operate("suspend-program", { programId, reason: "Leaked keys." });
  await operate("suspend-tenant", { tenantId, reason: "Leaked keys." });
  expect(await repeated(restored)).toEqual([
    `revoke-api-key '{"tenantId":"${tenantId}","apiUserId":"${after.apiUserId}"}'`,
    `disallow-ip '{"tenantId":"${tenantId}","cidr":"203.0.113.0/24"}'`,
    `suspend-program '{"programId":"${programId}","reason":"Repeated after a restore."}'`,
    `suspend-tenant '{"tenantId":"${tenantId}","reason":"Repeated after a restore."}'`,
  ]);
});

test("blocks of Cards and Cardholders, and rejections of Cardholders, are repeated in order", async () => {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program);
  const { cardId } = await givenCard(program, { cardholderId });
  const restored = await restoredNow();
  const card = { programId, cardId };
  const cardholder = { programId, cardholderId };
  const commands = [
    ["block-card", card],
    ["unblock-card", card],
    ["block-cardholder", cardholder],
    ["unblock-cardholder", cardholder],
  ] as const;
  for (const [command, input] of commands) {
    await operate(command, input);
    vi.setSystemTime(Date.now() + 1);
  }
  await operate("refuse-cardholder", cardholder);
  const reason = "Repeated after a restore.";
  expect((await repeated(restored)).filter((line) => line.includes(programId))).toEqual([
    ...commands.map(([command, input]) => `${command} '${JSON.stringify({ ...input, reason })}'`),
    `refuse-cardholder '${JSON.stringify(cardholder)}'`,
  ]);
});

test("steps of certificate authorities are repeated in order, and the audit log names who took them", async () => {
  await operate("view-truststore", {});
  await operate("trust-authority", { name: "second" });
  await operate("issue-with-authority", { name: "second" });
  const restored = await restoredNow();
  await operate("remove-authority", { name: "first", evenInUse: true });
  await operate("trust-authority", { name: "first" });
  await operate("issue-with-authority", { name: "first" });
  const run = "npm run authority -- --environment staging";
  expect(await repeated(restored)).toEqual([
    `${run} remove first --even-in-use`,
    `${run} trust first`,
    `${run} issue first`,
  ]);
});
