import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withoutSecrets } from "../../infra/commands/mcp/secrets.ts";
import { installTool } from "../../infra/tools/install-tool.ts";
import { operationId } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { givenCard, givenCardholder } from "../harness/given-cards.ts";
import { demoProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** What is used of the public SDK's client. */
interface McpClient {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: Listed[] }>;
  callTool(call: { name: string; arguments?: object }): Promise<Called>;
  close(): Promise<void>;
}
interface Listed {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: { readonly readOnlyHint: boolean };
}
interface Called {
  readonly content: readonly [{ readonly text: string }];
  readonly isError?: boolean;
}

// The server installs its own SDK too: not within the time that a client waits for it.
installTool("mcp");
const sdk = path.join(installTool("mcp-client"), "@modelcontextprotocol/sdk/dist/esm/client");
const importSdk = (file: string) => import(pathToFileURL(path.join(sdk, file)).href);

let given: GivenPlatform;
let program: LiveProgram;
let card: { readonly cardId: string };
let client: McpClient;
/** Everything that the server wrote on either stream. */
let said = "";
let tools: readonly Listed[];

async function connect(file: string): Promise<McpClient> {
  const { Client } = await importSdk("index.js");
  const { StdioClientTransport } = await importSdk("stdio.js");
  const args = ["infra/commands/mcp.ts", file];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
  transport.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const connected = new Client({ name: "test", version: "1.0.0" });
  await connected.connect(transport);
  return connected;
}

beforeAll(async () => {
  given = await givenPlatform();
  program = demoProgram(given.connection);
  card = await givenCard(program);
  client = await connect(connectionFile("connection.json"));
  ({ tools } = await client.listTools());
});
afterAll(async () => {
  await client?.close();
  await program?.close();
  await given?.stop();
});

function connectionFile(name: string): string {
  return path.join(path.dirname(given.connection.cert), "..", name);
}

async function call(name: string, input?: object): Promise<Called> {
  const answer = await client.callTool({ name, ...(input && { arguments: input }) });
  said += JSON.stringify(answer);
  return answer;
}

async function read(name: string, input?: object) {
  const { content, isError } = await call(name, input);
  expect(isError, content[0].text).toBeUndefined();
  return JSON.parse(content[0].text);
}

describe("npm run mcp", () => {
  it("offers every read and every operation of the sandbox, but what takes a secret", () => {
    const eligible = routes.filter(({ method, api }) => method === "GET" || api === "sandbox");
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(eligible.map(operationId).filter((name) => !names.includes(name))).toEqual([
      "otp_retrieveOtp",
      "otp_listChallenges",
      "sandbox_completeChallenge",
      "sandbox_enterPasscode",
      "sandbox_enterTokenPasscode",
    ]);
  });

  it("marks exactly the reads as such, and describes each input", () => {
    const reads = new Set(routes.filter(({ method }) => method === "GET").map(operationId));
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(annotations.readOnlyHint, name).toBe(reads.has(name));
      expect(description, name).toMatch(/^[A-Z].+\.$/m);
      const inputs = inputSchema.properties as Readonly<Record<string, object>>;
      if (inputs.body) expect(inputs.body, name).toHaveProperty("description");
    }
  });

  it("reads with the Program's key, and account management with the Tenant's", async () => {
    const { cardId } = card;
    expect((await read("cards_viewCard", { cardId })).data).toMatchObject({ cardId });
    const page = await read("wallets_listWallets");
    expect(page).toMatchObject({ total: 1, items: [{ walletId: given.connection.walletId }] });
    const { items } = await read("account_listPrograms");
    expect(items).toContainEqual(expect.objectContaining({ programId: given.connection.programId }));
  });

  it.each([
    [
      "cards_listTransactions",
      { cardID: "x", limit: 1 },
      /^422 VALIDATION_FAILED: .*\ncardID: .* there are .*cardId, /,
    ],
    ["wallets_listWallets", { Limit: 1 }, /\nLimit: is not an argument/],
    [
      "sandbox_authorize",
      { amount: 1, body: { amout: 1, merchant: {} } },
      /\namount: .*\nbody.amout: .* amount, /,
    ],
  ])("%s refuses arguments that it does not have", async (name, input, reason) => {
    const { content, isError } = await call(name, { ...input, ...(name.startsWith("sandbox") && card) });
    expect(isError).toBe(true);
    expect(content[0].text).toMatch(reason);
    expect(tools.find((one) => one.name === name)?.inputSchema.additionalProperties).toBe(false);
  });

  it("plays the card network in the sandbox", async () => {
    const { cardId } = card;
    await read("sandbox_depositOnCard", { cardId, body: { amount: 5_000, pending: false } });
    const { data } = await read("sandbox_authorize", { cardId, body: { amount: 3_000 } });
    expect(data).toMatchObject({ approved: true, amount: 3_000 });
    await read("sandbox_clearAuthorization", { authorizationId: data.authorizationId });
    expect((await read("cards_viewBalance", { cardId })).data.ledgerBalance).toBe(2_000);
  });

  it("answers what the platform rejects as a tool's error, with the code and each fault", async () => {
    const unknown = await call("cards_viewCard", { cardId: "crd_00000000000000000000000000" });
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("404 NOT_FOUND") }],
    });
    const wrong = await call("cards_listCards", { limit: 1_000 });
    expect(wrong).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("query.limit") }],
    });
    const missing = await call("cards_viewCard", {});
    expect(missing).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("cardId is missing") }],
    });
    await expect(call("cards_closeCard", { cardId: card.cardId })).rejects.toThrow(
      "There is no tool cards_closeCard",
    );
  });

  it("shows no secret, in no answer and no line", async () => {
    const cardholderId = await givenCardholder(program);
    const submitted = await program.call("POST /cardholders/{cardholderId}/submit", {
      path: { cardholderId },
    });
    const { kycUrl } = submitted.body.data;
    expect(kycUrl).toMatch(/^http/);
    const { data } = await read("cardholders_viewCardholder", { cardholderId });
    expect(data.kycUrl).toBe("(left out)");
    for (const { name, inputSchema, annotations } of tools)
      if (annotations.readOnlyHint && (inputSchema.required as string[]).length === 0) await call(name);
    const { programApiKey, tenantApiKey, key, cert } = given.connection;
    const secrets = [programApiKey, tenantApiKey, kycUrl, readFileSync(key, "utf8").slice(30, 60)];
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    expect(said).toContain("(left out)");
    expect(said).not.toContain(cert);
  });

  it("shows what the check of a PIN came to, and no PIN", () => {
    const answer = { pin: "match", controls: [{ pin: { block: ["mismatch"] } }], data: { pin: "1234" } };
    expect(withoutSecrets(answer)).toEqual({ ...answer, data: { pin: "(left out)" } });
  });

  it("says which operation the key's role does not allow", async () => {
    const { tenantId, programId } = given.connection;
    const reader = { tenantId, programId, name: "Model", role: "read_only" };
    const { apiKey } = await given.operate("create-api-key", reader);
    const restricted = connectionFile("restricted.json");
    writeFileSync(restricted, JSON.stringify({ ...given.connection, programApiKey: apiKey }));
    const model = await connect(restricted);
    const answer = await model.callTool({ name: "wallets_listWallets" });
    expect(answer.isError, answer.content[0].text).toBeUndefined();
    const { cardId } = card;
    const refused = await model.callTool({
      name: "sandbox_authorize",
      arguments: { cardId, body: { amount: 100 } },
    });
    expect(refused.isError).toBe(true);
    expect(refused.content[0].text).toContain("403 OPERATION_NOT_ALLOWED");
    expect(refused.content[0].text).toContain(
      "sandbox_authorize is not allowed to keys of the role read_only",
    );
    await model.close();
  });

  it("has neither sandbox nor account management where the connection has none", async () => {
    const { sandboxUrl: _, tenantApiKey: __, ...production } = given.connection;
    const file = connectionFile("production.json");
    writeFileSync(file, JSON.stringify(production));
    const other = await connect(file);
    const { tools: offered } = await other.listTools();
    await other.close();
    const expected = tools.filter(({ name }) => !/^(sandbox|account|certificates)_/.test(name));
    expect(offered).toEqual(expected);
  });

  it("says so when the platform does not answer", async () => {
    const file = connectionFile("stopped.json");
    writeFileSync(file, JSON.stringify({ ...given.connection, baseUrl: "https://localhost:9/v2" }));
    const other = await connect(file);
    const answer = await other.callTool({ name: "wallets_listWallets" });
    await other.close();
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("ECONNREFUSED") }],
    });
  });
});
