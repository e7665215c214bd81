import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RateLimits, rateTiers } from "../../shared/contract/rate-limits.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { tenantLevel } from "../harness/live-program.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

describe("the usage keys of a Program", () => {
  let given: GivenPlatform;
  beforeAll(async () => {
    given = await givenPlatform();
  });
  afterAll(() => given?.stop());

  const all = (tier: RateLimits["reads"]) => ({ reads: tier, writes: tier, fundsMoves: tier });

  it("move from any tier to any other, of every kind", async () => {
    const { connection, operator } = given;
    const programId = await given.newProgram(connection.tenantId);
    const orders = [rateTiers, rateTiers.toReversed()].map((order) => order.map(all));
    for (const limits of [...orders.flat(), all("highest"), all("standard")]) {
      expect(await operator("set-rate-limits", { programId, ...limits })).toEqual({
        programId,
        rateLimits: limits,
      });
    }
  });

  it.each(rateTiers)(
    "are made by its Tenant's first API user where the operator set the tier %s and ended before the gateway knew",
    async (tier) => {
      const { connection } = given;
      const programId = await given.newProgram(connection.tenantId);
      await setUnknownToGateway(programId, all(tier));
      const tenant = tenantLevel(connection);
      const key = "POST /account/programs/{programId}/api-users";
      const make = () => tenant.call(key, { path: { programId }, body: { name: "First" } });
      expect((await make()).status).toBe(200);
      // The keys are there, and what ended half-way is completed by a repetition.
      await setUnknownToGateway(programId, all(tier));
      expect((await make()).status).toBe(200);
      await tenant.close();
    },
  );

  /** As `set-rate-limits` leaves the Program when it ends after the first of its two steps. */
  async function setUnknownToGateway(programId: string, rateLimits: object): Promise<void> {
    const { endpoint, region, accountsTable } = given.connection.store;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const table = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
    await table.send(
      new UpdateCommand({
        TableName: accountsTable,
        Key: accountsKey.program(programId),
        UpdateExpression: "SET rateLimits = :limits REMOVE usageKeysAt",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":limits": rateLimits },
      }),
    );
    table.destroy();
  }
});
