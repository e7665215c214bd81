import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scenarioNames } from "../../infra/commands/trigger/scenario-names.ts";
import { installTool } from "../../infra/tools/install-tool.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { ended } from "../harness/run-program.ts";
import { endRunning, startedPlatform } from "./platform-process.ts";

const directory = mkdtempSync(path.join(tmpdir(), "first-hour-"));
let server: Receiver;
let listening: ReturnType<typeof start> | undefined;
let printed = "";

beforeAll(async () => {
  const free = await startReceiver();
  await free.stop();
  server = await startReceiver();
  await startedPlatform(directory, { LOCAL_RECEIVERS: free.origin });
});
afterAll(async () => {
  listening?.kill("SIGKILL");
  await server.stop();
  await endRunning();
});

function start(command: string, ...words: string[]) {
  const file = path.resolve("infra/commands", `${command}.ts`);
  const env = { ...process.env, LOCAL_DIR: directory };
  return spawn(process.execPath, [file, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
}

const run = (command: string, ...words: string[]) => ended(start(command, ...words));

async function api(...words: string[]) {
  const { status, stdout, stderr } = await run("api", ...words);
  return { status, code: stderr.trim(), body: JSON.parse(stdout) };
}

async function listen() {
  printed = "";
  const child = start("listen", `${server.origin}/hooks`);
  child.stdout.on("data", (chunk) => {
    printed += chunk;
  });
  await until(() => printed.includes("The secret is"));
  return child;
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isSo(); await delay(50))
    if (Date.now() > end) throw new Error(`It did not come: ${printed}`);
}

const sentHeaders = ["content-type", "user-agent", "accept-encoding"].concat(
  ["id", "timestamp", "signature"].map((name) => `webhook-${name}`),
);
const secretShown = () => /whsec_\S+/.exec(printed)?.[0] ?? "";

describe("npm run api", () => {
  test("calls with the certificate and the key that the path needs", async () => {
    const wallet = await api("POST", "/wallets", '{"name": "Tips"}', "--header", "Idempotency-Key: tips-1");
    expect(wallet).toMatchObject({ status: 0, code: "200", body: { data: { name: "Tips" } } });
    const again = await api("POST", "/wallets", '{"name": "Tips"}', "--header", "Idempotency-Key: tips-1");
    expect(again.body).toEqual(wallet.body);
    expect(await api("GET", "/account/programs?limit=1")).toMatchObject({ status: 0, body: { limit: 1 } });
  });

  test("ends with 1 after an error, and with 2 after a wrong call", async () => {
    const missing = await api("GET", "/cards/crd_00000000000000000000000001/balance");
    expect(missing).toMatchObject({ status: 1, code: "404", body: { code: "NOT_FOUND" } });
    expect(await run("api", "GET", "cards")).toMatchObject({ status: 2, stdout: "" });
    expect(await run("api", "FETCH", "/cards")).toMatchObject({ status: 2, stdout: "" });
    expect(await run("api", "POST", "/cards", "@missing.json")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("The body's file missing.json cannot be read (ENOENT)."),
    });
  });

  test("says of a path that no operation has that there is none, with the nearest", async () => {
    expect(await api("GET", "/cards/crd_00000000000000000000000001/balnce")).toMatchObject({
      status: 1,
      code: expect.stringContaining("Did you mean GET /cards/{cardId}/balance?"),
      body: { code: "NOT_FOUND", message: "There is no such operation: check method and path." },
    });
  });
});

describe("docs/postman.json", () => {
  // Twice: what it makes is its own, and nothing is in the way of the next run.
  test("its folder of a first purchase runs by newman, twice, and leaves the settings as they were", async () => {
    const { baseUrl, cert, key, ca, programApiKey, programId } = JSON.parse(
      readFileSync(path.join(directory, "connection.json"), "utf8"),
    );
    const settings = await api("GET", `/account/programs/${programId}/settings`);
    const newman = path.join(installTool("newman"), ".bin/newman");
    const files = ["--ssl-client-cert", cert, "--ssl-client-key", key, "--ssl-extra-ca-certs", ca];
    const variables = { host: new URL(baseUrl).host, programApiKey };
    const given = Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
    const child = spawn(
      process.execPath,
      [newman, "run", "docs/postman.json", "--folder", "First purchase", "-n", "2", ...files, ...given],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const { status, stdout: shown } = await ended(child);
    expect(status, shown.slice(-2_000)).toBe(0);
    expect(shown).toContain("First purchase");
    expect((await api("GET", `/account/programs/${programId}/settings`)).body).toEqual(settings.body);
  });
});

describe("npm run listen and npm run trigger", () => {
  test("each story has its lines, forwarded as they came, and nothing stays at the end", async () => {
    listening = await listen();
    const secret = secretShown();
    for (const name of scenarioNames) expect(await run("trigger", name), name).toMatchObject({ status: 0 });
    const last = ["authentication.completed", "token.status_changed", "payout.changed", "pull.changed"];
    await until(
      () =>
        (printed.match(/HOLD/g) ?? []).length >= 8 &&
        last.every((type) => printed.includes(type)) &&
        server.received.length === printed.split("\n").filter((line) => line.includes(" -> ")).length,
    );
    const lines = printed.trimEnd().split("\n").slice(1);
    expect(lines.filter((line) => !/ {2}signed {2}-> 204 in \d+ ms$/.test(line))).toEqual([]);
    expect(lines).toContainEqual(
      expect.stringMatching(/^20\S+Z {2}HOLD +23\.50 {2}crd_\w{26} {2}authorization +ntf_…\w{6} {2}signed/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/cardholder\.created +chd_\w{26} +ntf_…\w{6} {2}signed/),
    );
    for (const type of ["ACTTXN", "DISPUTE", "authorization.declined", "authorization.released"])
      expect(
        lines.some((line) => line.includes(`  ${type} `)),
        type,
      ).toBe(true);
    const { headers = {}, body } = server.received[0] ?? {};
    expect(() => new Webhook(secret).verify(body ?? "", headers as Record<string, string>)).not.toThrow();
    expect(Object.keys(headers).toSorted()).toEqual(
      [...sentHeaders, "host", "connection", "content-length"].toSorted(),
    );
    const id = headers["webhook-id"] ?? "";
    expect(lines[0]).toContain(`  ${id.slice(0, 4)}…${id.slice(-6)}  signed  `);
    expect(await end(listening)).toBe(0);
    expect((await api("GET", "/webhooks")).body.items).toEqual([]);
  });

  test("a delivery that failed is one more line with the same webhook-id, and no second hold", async () => {
    listening = await listen();
    let failed = 0;
    server.behave(({ body }, response) => {
      const fails = failed === 0 && body.includes("HOLD");
      if (fails) failed += 1;
      response.writeHead(fails ? 500 : 204).end();
    });
    const { stdout } = await run("trigger", "duplicates");
    const holds = () => printed.split("\n").filter((line) => line.includes("  HOLD "));
    await until(() => holds().length >= 4);
    server.behave((_, response) => response.writeHead(204).end());
    const ids = holds().map((line) => /ntf_…\w{6}/.exec(line)?.[0]);
    expect(ids).toEqual(Array(4).fill(`ntf_…${/ntf_\w{20}(\w{6})/.exec(stdout)?.[1]}`));
    expect(holds().filter((line) => line.includes("-> 500"))).toHaveLength(1);
    const [cardId] = /crd_\w{26}/.exec(stdout) ?? [];
    const { body } = await api("GET", `/cards/${cardId}/balance`);
    expect(body.data).toMatchObject({ ledgerBalance: 20_000, availableBalance: 18_500 });
    expect(await end(listening)).toBe(0);
  });

  test("a story ends where its Card may not spend, or does not exist", async () => {
    const none = await run("trigger", "purchase", "--card", "crd_00000000000000000000000001");
    expect(none).toMatchObject({ status: 2, stderr: expect.stringContaining("has no Card crd_") });
    const { cardId } = (await api("GET", "/cards?limit=1")).body.items[0];
    expect(await api("PUT", `/cards/${cardId}/status`, '{"status": 2}')).toMatchObject({ status: 0 });
    const held = await run("trigger", "purchase", "--card", cardId);
    expect(held).toMatchObject({ status: 2, stdout: expect.stringContaining("declined (CARD_ON_HOLD)") });
    expect(held.stderr).toContain("it needs a Card that may spend");
    expect(held.stderr).not.toContain("VALIDATION_FAILED");
    expect(await run("trigger", "payout", "--card", cardId)).toMatchObject({ status: 2, stdout: "" });
  });

  test("the secret stays, only its owner reads it, and a killed run's endpoint is replaced", async () => {
    const file = path.join(directory, "listen.json");
    const { secret } = JSON.parse(readFileSync(file, "utf8"));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    listening = await listen();
    expect(secretShown()).toBe(secret);
    listening.kill("SIGKILL");
    await once(listening, "close");
    expect((await api("GET", "/webhooks")).body.items).toHaveLength(1);
    listening = await listen();
    expect((await api("GET", "/webhooks")).body.items).toHaveLength(1);
    expect(await run("listen")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("LOCAL_RECEIVERS"),
    });
    expect(await end(listening)).toBe(0);
  });

  test("a server that does not answer is named, and the platform gets no success", async () => {
    await server.stop();
    listening = await listen();
    await run("trigger", "purchase");
    await until(() => printed.includes("-> no answer (ECONNREFUSED)"));
    expect(await end(listening)).toBe(0);
  });
});

async function end(child: ChildProcess): Promise<number | null> {
  const closed = once(child, "close");
  child.kill("SIGINT");
  return (await closed)[0];
}
