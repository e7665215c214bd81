import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeysCommand,
  GetRestApisCommand,
  GetUsagePlansCommand,
} from "@aws-sdk/client-api-gateway";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AwsEndpoint, type AwsParts, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { type UsagePlan, UsagePlans } from "../endpoint/usage-plans.ts";
import { stateFile } from "../files.ts";
import { client } from "./given-services.ts";

const plan = (id: string, apiId: string): UsagePlan => ({
  id,
  name: `plan ${id}`,
  stages: [{ apiId, stage: "live" }],
  ratePerSecond: 1e-6,
  burst: 2,
});
const plans = [plan("slow", "cards"), plan("fast", "cards"), plan("other", "wallets")];
const name = "prg01reads0000000000000";

let directory: string;
let aws: AwsEndpoint;
let usage: UsagePlans;
let gateway: APIGatewayClient;

const file = () => join(directory, "usage-keys.json");
const open = (known = plans) => new UsagePlans(known, stateFile(file()), { now: () => 1_800_000_000_000 });

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "usage-"));
  usage = open();
  aws = await openAwsEndpoint();
  aws.serve({ usage, objects: { serves: (_path: string) => false } } as AwsParts);
  gateway = new APIGatewayClient({ ...client, endpoint: aws.endpoint, maxAttempts: 1 });
});
afterEach(async () => {
  gateway.destroy();
  await aws.stop();
  rmSync(directory, { recursive: true });
});

const createKey = async (value = name) =>
  (await gateway.send(new CreateApiKeyCommand({ name: value, value, enabled: true }))).id ?? "";
const addTo = (usagePlanId: string, keyId: string) =>
  gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
const plansOf = async (keyId: string) =>
  (await gateway.send(new GetUsagePlansCommand({ keyId }))).items?.map(({ id }) => id);

describe("API Gateway's administration", () => {
  it("lists the usage plans, and those of a key", async () => {
    const { items } = await gateway.send(new GetUsagePlansCommand({}));
    expect(items).toHaveLength(3);
    expect(items?.[0]).toMatchObject({
      id: "slow",
      name: "plan slow",
      apiStages: [{ apiId: "cards", stage: "live" }],
      throttle: { rateLimit: 1e-6, burstLimit: 2 },
    });
    expect(await plansOf("unknown")).toEqual([]);
  });

  it("makes keys, finds them by the beginning of their names, and makes none a second time", async () => {
    const id = await createKey();
    expect(id).toMatch(/^[a-z0-9]{10}$/);
    const { items } = await gateway.send(new GetApiKeysCommand({ nameQuery: name.slice(0, 8) }));
    expect(items).toEqual([expect.objectContaining({ id, name, createdDate: new Date(1_800_000_000_000) })]);
    expect((await gateway.send(new GetApiKeysCommand({ nameQuery: "no" }))).items).toEqual([]);
    await expect(createKey()).rejects.toMatchObject({
      name: "ConflictException",
      $metadata: { httpStatusCode: 409 },
    });
  });

  it.each(["short", "with_an_underscore_in_it"])("rejects the key %s, as API Gateway does", async (value) => {
    await expect(createKey(value)).rejects.toMatchObject({ name: "BadRequestException" });
  });

  it("has a key in one plan of a stage at most", async () => {
    const id = await createKey();
    expect(await addTo("slow", id)).toMatchObject({ id, name, value: name, type: "API_KEY" });
    await expect(addTo("slow", id)).rejects.toMatchObject({ name: "ConflictException" });
    await expect(addTo("fast", id)).rejects.toMatchObject({ name: "BadRequestException" });
    await addTo("other", id);
    expect(await plansOf(id)).toEqual(["slow", "other"]);
    await gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId: "slow", keyId: id }));
    await addTo("fast", id);
    expect(await plansOf(id)).toEqual(["fast", "other"]);
  });

  it("answers NotFound for unknown plans and keys", async () => {
    const id = await createKey();
    for (const refused of [
      () => addTo("unknown", id),
      () => addTo("slow", "unknown"),
      () => gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId: "slow", keyId: id })),
    ]) {
      await expect(refused()).rejects.toMatchObject({ name: "NotFoundException" });
    }
  });

  it("names what it does not serve", async () => {
    await expect(gateway.send(new GetRestApisCommand({}))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
  });
});

describe("usage plans", () => {
  const admissions = (times: number, value = name, api = "cards") =>
    Array.from({ length: times }, () => usage.admit(value, api, "live"));

  it("count each key's requests apart", async () => {
    const other = `${name}other`;
    for (const value of [name, other]) await addTo("slow", await createKey(value));
    expect(admissions(3)).toEqual(["admitted", "admitted", "throttled"]);
    expect(admissions(3, other)).toEqual(["admitted", "admitted", "throttled"]);
  });

  it("count a key only in a plan of the stage", async () => {
    expect(admissions(1)).toEqual(["unknown"]);
    const id = await createKey();
    expect(admissions(1)).toEqual(["unknown"]);
    await addTo("slow", id);
    expect(admissions(1)).toEqual(["admitted"]);
    expect(admissions(1, name, "wallets")).toEqual(["unknown"]);
    expect(usage.admit(name, "cards", "next")).toBe("unknown");
    expect(usage.admit(undefined, "cards", "live")).toBe("unknown");
  });

  it("keep their keys over a restart, except in plans that the template no longer has", async () => {
    const id = await createKey();
    await addTo("slow", id);
    await addTo("other", id);
    expect(statSync(file()).mode & 0o077).toBe(0);
    expect(open().admit(name, "cards", "live")).toBe("admitted");
    const fewer = open([plan("fast", "cards"), plan("other", "wallets")]);
    expect(fewer.admit(name, "cards", "live")).toBe("unknown");
    expect(fewer.admit(name, "wallets", "live")).toBe("admitted");
  });
});
