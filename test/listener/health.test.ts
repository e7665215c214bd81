import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { serveHealth } from "../../infra/listener/health.ts";
import { isPlatformReached } from "../../infra/listener/platform.ts";
import { createProbe } from "../../shared/platform/invoke-function.ts";
import { endServer, listen } from "../harness/listen.ts";

async function givenHealth(probe: () => Promise<boolean>) {
  const health = await serveHealth({ host: "127.0.0.1", port: 0, probe, everyMs: 10, lastsMs: 200 });
  onTestFinished(() => health.stop());
  return async () => (await fetch(`http://127.0.0.1:${health.port}/`)).status;
}

it("a listener is well once its functions can be invoked, and again after they could not", async () => {
  let isReached = false;
  const status = await givenHealth(async () => isReached);
  await sleep(30);
  expect(await status()).toBe(503);
  isReached = true;
  await vi.waitFor(async () => expect(await status()).toBe(200));
  isReached = false;
  await sleep(50);
  // A probe that fails by chance ends nothing.
  expect(await status()).toBe(200);
  await vi.waitFor(async () => expect(await status()).toBe(503));
  isReached = true;
  await vi.waitFor(async () => expect(await status()).toBe(200));
});

it("a probe that never ends makes it unwell", async () => {
  let probes = 0;
  const status = await givenHealth(() => {
    probes += 1;
    return probes === 1 ? Promise.resolve(true) : new Promise(() => {});
  });
  await vi.waitFor(async () => expect(await status()).toBe(200));
  await vi.waitFor(async () => expect(await status()).toBe(503));
});

/** Lambda's HTTP interface, with these answers to a dry run; `undefined` never answers. */
async function givenLambda(answers: Readonly<Record<string, number | undefined>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [, name = ""] = /functions\/([^/]+)\/invocations/.exec(request.url ?? "") ?? [];
    asked.push(`${name} ${request.headers["x-amz-invocation-type"]}`);
    const status = answers[name];
    if (status !== undefined) response.writeHead(status).end(status === 204 ? undefined : "{}");
  });
  const variables = {
    AWS_ENDPOINT_URL_LAMBDA: await listen(server),
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    VAULT_FUNCTION: "vault",
    PROCESSOR_FUNCTION: "processor",
    LOG_LEVEL: "SILENT",
    SERVICE_NAME: "listener",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    if (server.listening) return endServer(server);
  });
  // The process's own has a client of another address.
  const canInvoke = createProbe();
  return { asked, isReached: () => isPlatformReached(canInvoke), server };
}

it("both functions are tried out, and none runs", async () => {
  const { asked, isReached } = await givenLambda({ vault: 204, processor: 204 });
  expect(await isReached()).toBe(true);
  expect(asked.toSorted()).toEqual(["processor DryRun", "vault DryRun"]);
});

it.each([
  ["the vault is not allowed", { vault: 403, processor: 204 }, false],
  ["a function does not exist", { vault: 204, processor: 404 }, false],
  ["Lambda does not answer", { vault: 204, processor: undefined }, false],
  // Of all listeners alike: taking them out would only add an outage.
  ["Lambda throttles", { vault: 429, processor: 204 }, true],
  ["Lambda fails", { vault: 204, processor: 500 }, true],
])("if %s", { timeout: 20_000 }, async (_, answers, expected) => {
  const { isReached } = await givenLambda(answers);
  expect(await isReached()).toBe(expected);
});

it("if nothing is there to answer", async () => {
  const { isReached, server } = await givenLambda({});
  await endServer(server);
  expect(await isReached()).toBe(false);
});
