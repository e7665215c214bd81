import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamoDbLocalWords, dynoxideBinary } from "../../infra/local/engines/dynamo.ts";
import type { OwnEngine } from "./dynamo/engine.ts";
import { startObjects } from "./given-objects.ts";
import { startFunctionServer } from "./given-vault.ts";
import { startPepper } from "./pepper.ts";
import type { TableSchemas } from "./tables.ts";
import { startUsageAdministration, type UsageAdministration } from "./usage-administration.ts";

/** A running DynamoDB engine in its own process. */
export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts an empty in-memory DynamoDB engine on a free port of the loopback interface: DynamoDB
 * Local, if TEST_DYNAMODB says so.
 */
export async function startEngine(): Promise<Engine> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await freePort());
    } catch (error) {
      // Somebody else may have taken the port between the look and the start.
      if (attempt === 3) throw error;
    }
  }
}

const stdio: StdioOptions = ["ignore", "pipe", "pipe"];

async function startOn(port: number): Promise<Engine> {
  const isLocal = process.env.TEST_DYNAMODB === "dynamodb-local";
  const child: ChildProcess = isLocal
    ? spawn("java", [...dynamoDbLocalWords(), "-sharedDb", "-inMemory", "-port", String(port)], { stdio })
    : spawn(dynoxideBinary(), ["serve", "--host", "127.0.0.1", "--port", String(port)], { stdio });
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  await new Promise<void>((resolve, reject) => {
    let said = "";
    const listen = (chunk: unknown) => {
      said += chunk;
      if (said.includes(isLocal ? `Port:\t${port}` : "listening on")) resolve();
    };
    child.stderr?.on("data", listen);
    child.stdout?.on("data", listen);
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`The DynamoDB engine ended: ${said}`)));
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      process.removeListener("exit", killWithUs);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** Once a process: clients that outlive a test file keep the first address that they found. */
let services: Promise<[UsageAdministration, string, string, { url: string }]> | undefined;

/**
 * Creates the tables and sets this process's environment. `name` separates test files. `engine` is
 * the one at the endpoint, where it is in this process: a client of it takes longer.
 */
export async function useTables(
  endpoint: string,
  schemas: TableSchemas,
  name: string,
  engine?: OwnEngine,
): Promise<void> {
  services ??= Promise.all([
    startUsageAdministration(),
    startPepper(),
    startFunctionServer(),
    startObjects(),
  ]);
  const [usageAdministration, secretsEndpoint, lambdaEndpoint, objects] = await services;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_API_GATEWAY: usageAdministration.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsEndpoint,
    AWS_ENDPOINT_URL_LAMBDA: lambdaEndpoint,
    AWS_ENDPOINT_URL_S3: objects.url,
    FILES_BUCKET: "files",
    EVIDENCE_BUCKET: "evidence",
    EVIDENCE_LOCK: "GOVERNANCE",
    RECORDS_BUCKET: "records",
    KEY_PEPPER_SECRET_ID: "pepper",
    FUNDS_MOVES: process.env.FUNDS_MOVES ?? (await fundsMoves()),
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    ISSUING_TABLE: `issuing-${name}`,
    ACCOUNTS_TABLE: `accounts-${name}`,
    VAULT_TABLE: `vault-${name}`,
    VAULT_FUNCTION: "vault",
    PROCESSOR_FUNCTION: "processor-events",
    ENVIRONMENT_NAME: "local",
    SIMULATED_BANK: "true",
    SELF_SERVICE: "true",
    DNS_SERVERS: "",
    ALLOWED_RECEIVERS: "",
    DOCUMENTATION_URL: "https://docs.issuing.example",
    WEBHOOK_BASE_URL: "https://webhooks.issuing.example/v2",
    KYC_BASE_URL: "https://kyc.issuing.example",
    CUSTODY_KEYS: JSON.stringify(custodyKeys),
    SERVICE_NAME: "test",
    LOG_LEVEL: process.env.LOG_LEVEL ?? "SILENT",
  });
  const tables = [
    { ...schemas.issuing, TableName: `issuing-${name}` },
    { ...schemas.accounts, TableName: `accounts-${name}` },
    // Its keys are as plain.
    { ...schemas.accounts, TableName: `vault-${name}` },
  ];
  if (engine) {
    for (const table of tables) engine.execute("CreateTable", table);
    return;
  }
  const client = new DynamoDBClient();
  await Promise.all(tables.map((table) => client.send(new CreateTableCommand(table))));
  client.destroy();
}

/** For programs other than vitest, whose files get it from engine-global.ts. */
async function fundsMoves(): Promise<string> {
  const contract = await import("../../shared/contract/routes.ts");
  return contract.fundsMoves.join(",");
}

/** Public keys of the BIP-32 test vectors, below which a Program without its own keys gets some. */
export const custodyKeys = {
  bitcoin:
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
  ethereum:
    "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw",
  tron: "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ",
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("No port was bound.");
  return address.port;
}
