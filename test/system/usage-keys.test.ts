import { APIGatewayClient, GetApiKeysCommand, GetUsagePlansCommand } from "@aws-sdk/client-api-gateway";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type RateLimits, rateTiers, requestKinds, usageKey } from "../../shared/contract/rate-limits.ts";
import { deadlinePut } from "../../shared/platform/deadlines.ts";
import { programs } from "../../shared/tenancy/programs/program.ts";
import { limitsDeadline } from "../../shared/tenancy/usage/program-usage.ts";
import { tenantLevel } from "../harness/given-live-program.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

describe("the usage keys of a Program", () => {
  let given: GivenPlatform;
  beforeAll(async () => {
    given = await givenPlatform();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await given?.stop();
  });

  const all = (tier: RateLimits["reads"]) => ({ reads: tier, writes: tier, fundsMoves: tier });

  it("move from any tier to any other, of every kind", async () => {
    const { connection, operate } = given;
    const programId = await given.newProgram(connection.tenantId);
    const orders = [rateTiers, rateTiers.toReversed()].map((order) => order.map(all));
    for (const limits of [...orders.flat(), all("highest"), all("standard")]) {
      expect(await operate("set-rate-limits", { programId, ...limits })).toEqual({
        programId,
        rateLimits: limits,
      });
    }
  });

  it("are moved from any tier to any other by the sweep where the operator function was killed", async () => {
    const { connection } = given;
    const programId = await given.newProgram(connection.tenantId);
    const orders = [rateTiers, rateTiers.toReversed()].map((order) => order.map(all));
    for (const limits of [...orders.flat(), all("highest"), all("standard")]) {
      await setUnknownToGateway(programId, limits);
      await putDeadline(programId);
      await advanceClock(connection, "3m");
      expect(await usagePlansOf(programId)).toEqual(
        requestKinds.map((kind) => `${kind}-${limits[kind]}`).toSorted(),
      );
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

  /** The Program's plans but the sandbox's, as the gateway has them. */
  async function usagePlansOf(programId: string): Promise<string[]> {
    const { origin: endpoint } = new URL(given.connection.operatorUrl);
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const gateway = new APIGatewayClient({ endpoint, region: "eu-west-1", credentials });
    const names: string[] = [];
    for (const kind of requestKinds) {
      const { items: keys } = await gateway.send(
        new GetApiKeysCommand({ nameQuery: usageKey(programId, kind) }),
      );
      const { items = [] } = await gateway.send(new GetUsagePlansCommand({ keyId: keys?.[0]?.id }));
      names.push(...items.map(({ name = "" }) => name.replace("card-issuing-local-", "")));
    }
    gateway.destroy();
    return names.filter((name) => name !== "sandbox").toSorted();
  }

  /** The deadline that a killed change of limits leaves. */
  async function putDeadline(programId: string): Promise<void> {
    const { endpoint, region, issuingTable } = given.connection.store;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const table = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
    vi.stubEnv("ISSUING_TABLE", issuingTable);
    const { Put } = deadlinePut({ ...limitsDeadline(programId), dueAt: new Date(0) }) as {
      Put: { Item: Record<string, unknown> };
    };
    await table.send(new PutCommand({ TableName: issuingTable, Item: Put.Item }));
    table.destroy();
  }

  /** As `set-rate-limits` leaves the Program when it ends after the first of its two steps. */
  async function setUnknownToGateway(programId: string, rateLimits: object): Promise<void> {
    const { endpoint, region, accountsTable } = given.connection.store;
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const table = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region, credentials }));
    await table.send(
      new UpdateCommand({
        TableName: accountsTable,
        Key: programs.key(programId),
        UpdateExpression: "SET rateLimits = :limits REMOVE usageKeysAt",
        ConditionExpression: "attribute_exists(pk)",
        ExpressionAttributeValues: { ":limits": rateLimits },
      }),
    );
    table.destroy();
  }
});
