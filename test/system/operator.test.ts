import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "../../shared/platform/id.ts";
import { listen } from "../harness/listen.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { send } from "./tls-request.ts";

const program = resolve("infra/commands/operator.ts");

describe("npm run operator", () => {
  let given: GivenPlatform;

  beforeAll(async () => {
    given = await givenPlatform();
  });
  afterAll(() => given?.stop());

  /** What the command line says: its output on success, else its complaint. */
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await given.run("operator", ...words);
    return { code, said: code === 0 ? stdout : stderr };
  };

  it("carries a command out on the running platform, and prints its answer as JSON", async () => {
    const { connection } = given;
    const { tenantId, programId } = connection;
    const input = JSON.stringify({ tenantId, programId, name: "from the command line" });
    const { code, said } = await run("create-api-key", input);
    expect(code).toBe(0);
    const { apiKey } = JSON.parse(said) as { apiKey: string };
    const headers = { "X-API-Key": apiKey };
    expect(await send(connection, { path: "/wallets", headers })).toMatchObject({ status: 200 });
  });

  it("invokes the function of a deployed environment, signed with the caller's own credentials", async () => {
    const requests: { url?: string; authorization?: string; body: string }[] = [];
    const lambda = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString("utf8");
      requests.push({ url: request.url ?? "", authorization: request.headers.authorization ?? "", body });
      response.end('{"tickets":[]}');
    });
    const aws = {
      AWS_ENDPOINT_URL_LAMBDA: await listen(lambda),
      AWS_ACCESS_KEY_ID: "operator",
      AWS_SECRET_ACCESS_KEY: "secret",
    };
    const env = { ...process.env, ...aws };
    const words = [program, "--environment", "staging", "list-tickets"];
    const { stdout } = await promisify(execFile)(process.execPath, words, { env });
    lambda.close();
    expect(JSON.parse(stdout)).toEqual({ tickets: [] });
    expect(requests).toEqual([
      {
        url: "/2015-03-31/functions/card-issuing-staging-operator/invocations",
        authorization: expect.stringMatching(/Credential=operator\/\d{8}\/eu-west-1\/lambda/),
        body: expect.stringMatching(
          /^\{"command":"list-tickets","input":\{\},"caller":\{"authorization":"AWS4-HMAC-SHA256 .*"\}\}$/,
        ),
      },
    ]);
  });

  it("says why a command was rejected", async () => {
    const tenantId = newId("tenant");
    const { code, said } = await run("suspend-tenant", "--tenantId", tenantId, "--reason", "Asked for.");
    expect({ code, said }).toEqual({ code: 1, said: `Tenant ${tenantId} does not exist.\n` });
  });

  it.each([
    [["unknown"], "npm run operator -- [command]"],
    [["create-tenant", "{}"], "npm run operator -- create-tenant ['<JSON>']"],
    [["create-tenant", "no JSON"], "npm run operator -- create-tenant ['<JSON>']"],
    [["create-tenant", "{}", "more"], "npm run operator -- create-tenant ['<JSON>']"],
  ])("says how to use it where the words are %j", async (words, usage) => {
    const { code, said } = await run(...words);
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining(`Usage: ${usage}`) });
  });

  it("says that no platform runs", async () => {
    const env = { ...process.env, LOCAL_DIR: resolve(given.directory, "elsewhere") };
    const elsewhere = promisify(execFile)(process.execPath, [program, "list-tickets"], { env });
    await expect(elsewhere).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Start it with npm start"),
    });
  });
});
