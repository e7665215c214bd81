import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { handler } from "../../functions/operator/handler.ts";
import { connectionFile, readConnection } from "../../infra/development/connection.ts";
import { ensureDevelopmentPki } from "../../infra/development/development-pki.ts";
import { seed } from "../../infra/development/seed.ts";
import type { FunctionInvoker } from "../../infra/local/interfaces.ts";
import { allowedFor, allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { readCardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { useTables } from "../harness/engine.ts";
import { lambdaContext } from "../harness/replay.ts";

process.env.LOG_LEVEL = "SILENT";

const urls = {
  baseUrl: "https://localhost:8443/v2",
  sandboxUrl: "https://localhost:8443/v2/sandbox",
  webhookBaseUrl: "http://127.0.0.1:8444/v2",
  controlUrl: "http://127.0.0.1:8444",
  consoleUrl: "http://127.0.0.1:8444/console",
  truststore: "/tmp/truststore.pem",
  operatorUrl: "http://127.0.0.1:8445/2015-03-31/functions/operator/invocations",
  files: { endpoint: "http://127.0.0.1:1", bucket: "files" },
  receivers: [],
  processorQueueUrl: "http://127.0.0.1:8446/000000000000/processor-events",
  outsideQueueUrl: "http://127.0.0.1:8446/000000000000/outside",
  store: {
    endpoint: "http://127.0.0.1:8447",
    region: "eu-west-1",
    issuingTable: "issuing",
    accountsTable: "accounts",
  },
};

describe("the seed", () => {
  let directory: string;
  let commands: string[];

  /** The operator function in this process, with Lambda's way of reporting an error. */
  const functions: FunctionInvoker = {
    invoke: async (_, event) => {
      commands.push((event as { command: string }).command);
      try {
        return { payload: await handler(event, lambdaContext) };
      } catch (error) {
        const { name, message } = error as Error;
        return { payload: { errorType: name, errorMessage: message }, functionError: "Unhandled" };
      }
    },
  };
  const run = async (options: Partial<Parameters<typeof seed>[0]> = {}) => {
    const now = new Date();
    const pki = await ensureDevelopmentPki(directory, now);
    return seed({ directory, pki, functions, operatorFunctionName: "operator", urls, now, ...options });
  };

  beforeAll(async () => {
    await useTables(inject("dynamoEndpoint"), inject("tableSchemas"), randomUUID());
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "seed-"));
    commands = [];
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("makes the demo Tenant, its Program in US dollars, design slot 0 and the allowlist", async () => {
    const { tenantId, programId, walletId } = await run();
    const program = await readProgram(programId);
    expect(program).toMatchObject({ tenantId, currency: 0, defaultWalletId: walletId });
    expect(program?.settings).toMatchObject({ issuanceApproval: 0, clearingDelaySeconds: 0 });
    expect(await readCardDesign(programId, 0)).toMatchObject({ status: 1 });
    const ranges = await allowedIps.list(tenantId);
    for (const ip of ["127.0.0.1", "::1", "127.0.0.3"]) expect(allowedFor(ip, ranges).tenant).toBe(true);
    expect(allowedFor("127.0.0.2", ranges).tenant).toBe(false);
  });

  it("writes a connection file for its owner alone, with files that are there", async () => {
    const connection = await run();
    expect(statSync(connectionFile(directory)).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(connectionFile(directory), "utf8"))).toEqual(connection);
    expect(Object.keys(connection).toSorted()).toEqual(
      [
        ...[
          ...["baseUrl", "sandboxUrl", "truststore", "network", "ca", "cert", "key", "clientCaKey"],
          ...["programApiKey", "tenantApiKey"],
        ],
        ...[
          ...["tenantId", "programId", "walletId", "controlUrl", "consoleUrl", "operatorUrl"],
          ...["processorQueueUrl", "store"],
        ],
        ...["outsideQueueUrl", "webhookBaseUrl", "files", "bankAccount"],
        "receivers",
      ].toSorted(),
    );
    for (const file of [connection.ca, connection.cert, connection.key, connection.clientCaKey]) {
      expect(readFileSync(file, "utf8")).toMatch(/^-----BEGIN /);
    }
  });

  it("finds everything again at the next start, where only the port is another", async () => {
    const first = await run();
    commands = [];
    const moved = { ...urls, baseUrl: "https://localhost:9443/v2" };
    expect(await run({ urls: moved })).toEqual({ ...first, baseUrl: moved.baseUrl });
    expect(commands).toEqual(["register-certificate", "set-rate-limits"]);
  });

  it("registers the certificate that takes an expiring one's place", async () => {
    const first = await run();
    const certificate = readFileSync(first.cert, "utf8");
    const now = new Date(Date.now() + 800 * 86_400_000);
    expect(await run({ now })).toEqual(first);
    expect(readFileSync(first.cert, "utf8")).not.toBe(certificate);
  });

  it("creates a new Tenant if the tables no longer have the old one", async () => {
    const first = await run();
    const accounts = process.env.ACCOUNTS_TABLE;
    await useTables(inject("dynamoEndpoint"), inject("tableSchemas"), randomUUID());
    expect(process.env.ACCOUNTS_TABLE).not.toBe(accounts);
    const second = await run();
    expect(second.tenantId).not.toBe(first.tenantId);
    expect(await readProgram(second.programId)).toMatchObject({ tenantId: second.tenantId });
    expect(readConnection(directory)).toEqual(second);
  });

  it("fails aloud, and leaves no connection file, where the operator function fails", async () => {
    const broken: FunctionInvoker = {
      invoke: async () => ({
        payload: { errorType: "Error", errorMessage: "no table" },
        functionError: "Unhandled",
      }),
    };
    await expect(run({ functions: broken })).rejects.toThrow("create-tenant: no table");
    expect(readConnection(directory)).toBeUndefined();
  });
});
