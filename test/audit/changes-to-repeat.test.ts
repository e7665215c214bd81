import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { changesToRepeat } from "../../infra/restore/changes-to-repeat.ts";
import { environment } from "../../shared/environment.ts";
import { table } from "../../shared/table/client.ts";
import { type GivenTenant, givenTenant, operator } from "../functions/given-access.ts";
import { givenApprovedCardholder, givenCard, givenProgram } from "../harness/given-cards.ts";

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

/** The commands, without what is the same in all. */
async function repeated(to: Date): Promise<string[]> {
  const { accountsTable } = environment;
  const lines = await changesToRepeat({ client: table, accountsTable, environment: "staging", to });
  const prefix = "npm run operator -- --environment staging ";
  return lines.map((line) => line.replace(prefix, ""));
}

test("what was revoked, removed or suspended since a restore's second is repeated in its order, what came before it is not", async () => {
  const { tenantId, programIds } = tenant;
  const [programId] = programIds;
  const [before, after] = [
    await operator("create-api-key", { tenantId, name: "one" }),
    await operator("create-api-key", { tenantId, name: "another" }),
  ];
  await operator("allow-ip", { tenantId, cidr: "203.0.113.0/24" });
  await operator("revoke-api-key", { tenantId, apiUserId: before.apiUserId });
  vi.setSystemTime(Date.now() + 1_000);
  const to = new Date();
  await operator("revoke-api-key", { tenantId, apiUserId: after.apiUserId });
  await operator("disallow-ip", { tenantId, cidr: "203.0.113.0/24" });
  await operator("suspend-program", { programId, reason: "Leaked keys." });
  await operator("suspend-tenant", { tenantId, reason: "Leaked keys." });
  expect(await repeated(to)).toEqual([
    `revoke-api-key '{"tenantId":"${tenantId}","apiUserId":"${after.apiUserId}"}'`,
    `disallow-ip '{"tenantId":"${tenantId}","cidr":"203.0.113.0/24"}'`,
    `suspend-program '{"programId":"${programId}","reason":"Repeated after a restore."}'`,
    `suspend-tenant '{"tenantId":"${tenantId}","reason":"Repeated after a restore."}'`,
  ]);
});

test("blocks of Cards and Cardholders, and refusals, are repeated in their order", async () => {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program);
  const { cardId } = await givenCard(program, { cardholderId });
  vi.setSystemTime(Date.now() + 1_000);
  const to = new Date();
  const card = { programId, cardId };
  const cardholder = { programId, cardholderId };
  const commands = [
    ["block-card", card],
    ["unblock-card", card],
    ["block-cardholder", cardholder],
    ["unblock-cardholder", cardholder],
  ] as const;
  for (const [command, input] of commands) {
    await operator(command, input);
    vi.setSystemTime(Date.now() + 1);
  }
  await operator("refuse-cardholder", cardholder);
  const reason = "Repeated after a restore.";
  expect((await repeated(to)).filter((line) => line.includes(programId))).toEqual([
    ...commands.map(([command, input]) => `${command} '${JSON.stringify({ ...input, reason })}'`),
    `refuse-cardholder '${JSON.stringify(cardholder)}'`,
  ]);
});
