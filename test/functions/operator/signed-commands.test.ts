import { createServer, type IncomingMessage, type Server } from "node:http";
import { STSClient } from "@aws-sdk/client-sts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/operator/handler.ts";
import { signCommand } from "../../../infra/commands/invoke-operator.ts";
import { type CallerProof, identityEndpoint } from "../../../shared/contract/caller-proof.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { listen } from "../../harness/listen.ts";
import { lambdaContext } from "../../harness/replay.ts";
import { allStoredItems } from "../../harness/stored.ts";

const region = "eu-west-1";
const account = "000000000000";
const arn = `arn:aws:sts::${account}:assumed-role/Operators/alice`;
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret", sessionToken: "token" };
const command = "allow-ip";
let input = { tenantId: "", cidr: "192.0.2.0/24" };

/** STS's check: the arriving request is signed with a known secret. */
async function isSigned(request: IncomingMessage, body: string): Promise<boolean> {
  const { authorization = "" } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
  const headers = Object.fromEntries(
    names.filter((name) => name !== "x-amz-date").map((name) => [name, String(request.headers[name])]),
  );
  delete headers["x-amz-security-token"];
  const signer = await new STSClient({ region, credentials }).config.signer();
  const [, y, mo, d, h, mi, s] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers["x-amz-date"])) ?? [];
  const signed = await signer.sign(
    {
      method: request.method ?? "",
      protocol: "http:",
      hostname: "",
      path: request.url ?? "",
      query: {},
      headers,
      body,
    },
    { signingDate: new Date(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`) },
  );
  return signed.headers.authorization === authorization;
}

describe("a command in a deployed environment", () => {
  let sts: Server;
  let answersFor = account;
  let redirects = false;
  let questions = 0;

  beforeAll(async () => {
    sts = createServer(async (request, response) => {
      questions += 1;
      const body = Buffer.concat(await request.toArray()).toString();
      if (redirects) return response.writeHead(307, { location: "/elsewhere" }).end();
      const accepted =
        body === "Action=GetCallerIdentity&Version=2011-06-15" && (await isSigned(request, body));
      if (!accepted) return response.writeHead(403).end();
      const GetCallerIdentityResult = { Account: answersFor, Arn: arn, UserId: "AROA:alice" };
      response.end(JSON.stringify({ GetCallerIdentityResponse: { GetCallerIdentityResult } }));
    });
    process.env.AWS_ENDPOINT_URL_STS = await listen(sts);
    input = { ...input, tenantId: (await givenTenant(0)).tenantId };
    process.env.ENVIRONMENT_NAME = "staging";
  });
  afterEach(() => {
    vi.useRealTimers();
    answersFor = account;
    redirects = false;
  });
  afterAll(() => {
    process.env.ENVIRONMENT_NAME = "local";
    delete process.env.AWS_ENDPOINT_URL_STS;
    sts.close();
  });

  const sign = (given: { environment?: string; command?: string; input?: unknown; region?: string } = {}) => {
    const client = new STSClient({ region: given.region ?? region, credentials });
    return signCommand(region, { environment: "staging", command, input, ...given }, client);
  };
  const give = (caller: unknown, given: object = input) =>
    handler({ command, input: given, caller }, lambdaContext);
  const expectRefused = async (caller: unknown, message: string, given: object = input) => {
    const before = await allStoredItems();
    await expect(give(caller, given)).rejects.toMatchObject({
      name: "CommandRejected",
      message: expect.stringContaining(message),
    });
    expect(await allStoredItems()).toEqual(before);
  };

  it.each([
    [{}, "https://sts.eu-west-1.amazonaws.com"],
    [{ AWS_ENDPOINT_URL: "http://127.0.0.1:1" }, "http://127.0.0.1:1"],
    [
      { AWS_ENDPOINT_URL: "http://127.0.0.1:1", AWS_ENDPOINT_URL_STS: "http://127.0.0.1:2" },
      "http://127.0.0.1:2",
    ],
  ])("STS is asked where the SDK's variables say: %j", (variables, origin) => {
    expect(identityEndpoint("eu-west-1", variables).origin).toBe(origin);
  });

  it("is executed in the name of its signer", async () => {
    await give(await sign());
    const added = (await allStoredItems()).filter(({ action }) => action === "ip-allowlist.add");
    expect(added.map(({ actor }) => actor)).toEqual([`operator:${arn}`]);
  });

  it("is rejected without a signature or with a malformed one", async () => {
    await expectRefused(undefined, "not signed");
    await expectRefused({}, "authorization");
    await expectRefused({ ...(await sign()), host: "sts.evil.example" }, "host");
  });

  it("is rejected if another input, command, environment or secret was signed", async () => {
    await expectRefused(await sign(), "does not accept", { ...input, cidr: "203.0.113.0/24" });
    await expectRefused(await sign({ command: "list-tickets" }), "does not accept");
    await expectRefused(await sign({ environment: "production" }), "does not accept");
    const proof = await sign();
    const forged = proof.authorization.replace(/Signature=.{8}/, "Signature=00000000");
    await expectRefused({ ...proof, authorization: forged }, "does not accept");
  });

  it("is rejected without a call of STS if the signature omits the command or is for another region", async () => {
    const proof = await sign();
    const asked = questions;
    const unbound: CallerProof = {
      ...proof,
      authorization: proof.authorization.replace(";x-card-issuing-command", ""),
    };
    await expectRefused(unbound, "does not cover");
    await expectRefused(await sign({ region: "us-east-1" }), "does not cover");
    await expectRefused({ ...proof, authorization: "Bearer x" }, "does not cover");
    expect(questions).toBe(asked);
  });

  it.each([-301_000, 301_000])("is rejected %i ms after it was signed", async (laterMs) => {
    const proof = await sign();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + laterMs });
    await expectRefused(proof, "five minutes");
  });

  it("is rejected from an identity of another account", async () => {
    answersFor = "999999999999";
    await expectRefused(await sign(), "not of this environment's account");
  });

  it("follows STS nowhere", async () => {
    redirects = true;
    const asked = questions;
    await expectRefused(await sign(), "did not identify the signer");
    expect(questions).toBe(asked + 1);
  });
});
