import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { verifyNotification } from "../../client/src/card-issuing.ts";

const root = path.resolve(import.meta.dirname, "../..");
const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const body = JSON.stringify({ eventType: 21, subjectId: "crd_1", type: "card.status_changed", data: {} });
let directory: string;
let server: ChildProcess;
let url: string;
let printed = "";

function sent(of: string): Record<string, string> {
  const at = new Date();
  return {
    "webhook-id": "ntf_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("ntf_1", at, of),
  };
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as { port: number };
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

/** The server of the README, in a process of its own. */
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "webhook-server-"));
  const readme = readFileSync(path.join(root, "client/README.md"), "utf8");
  const [, block = ""] = /webhook-server\.test\.ts -->\n```ts\n(.*?)```/s.exec(readme) ?? [];
  expect(block.trim().split("\n").length).toBeLessThanOrEqual(16);
  const program = path.join(directory, "server.ts");
  writeFileSync(
    program,
    block.replace('"card-issuing-client"', JSON.stringify(path.join(root, "client/src/card-issuing.ts"))),
  );
  const port = await freePort();
  url = `http://127.0.0.1:${port}/`;
  server = spawn(process.execPath, [program], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), NODE_OPTIONS: "" },
  });
  server.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  for (let tries = 0; tries < 300; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}, 60_000);

afterAll(() => {
  server.kill();
  rmSync(directory, { recursive: true, force: true });
});

test("the README's server takes what was signed, and refuses the rest", async () => {
  const post = async (headers: Record<string, string>, of = body) =>
    (await fetch(url, { method: "POST", headers, body: of })).status;
  expect(await post(sent(body))).toBe(200);
  // What a process prints may come after its answer.
  await vi.waitFor(() => expect(printed).toContain('change {"eventType":21'), { timeout: 10_000 });
  expect(await post(sent(body), `${body} `)).toBe(400);
  expect(await post({})).toBe(400);
});

test("headers as Node and fetch have them, in any case", () => {
  const headers = sent(body);
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const one of [
    headers,
    upper,
    new Headers(headers),
    { ...headers, "set-cookie": ["a", "b"], no: undefined },
  ])
    expect(verifyNotification([secret], one, body).kind).toBe("change");
  const twice = { ...headers, "webhook-id": ["ntf_1", "ntf_1"] };
  expect(() => verifyNotification([secret], twice, body)).toThrow();
});
