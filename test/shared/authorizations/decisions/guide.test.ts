import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toAsks } from "../../../../shared/authorizations/decisions/ask.ts";
import { pause } from "../../../../shared/platform/clock.ts";
import { askOnce } from "../../../../shared/questions/ask.ts";
import { givenEndpoint, givenQuestion } from "../../../harness/given-question.ts";
import { startReceiver } from "../../../harness/receiver.ts";

/** The receiver of docs/authorization-decisions.md, in a process of its own. */
let running: ChildProcess;
let endpoint: ReturnType<typeof givenEndpoint>;

beforeAll(async () => {
  const page = readFileSync("docs/authorization-decisions.md", "utf8");
  const [, code = ""] = page.match(/^```js\n(.*?)^```$/ms) ?? [];
  // A port that was free a moment ago.
  const { port, origin, stop } = await startReceiver();
  await stop();
  endpoint = givenEndpoint(`${origin}/decide`);
  Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: origin });
  const env = { PATH: process.env.PATH, PORT: String(port), SECRET: endpoint.secret };
  running = spawn(process.execPath, ["--input-type=module", "--eval", code], { env, stdio: "inherit" });
  for (let tries = 0; tries < 100 && (await decide({})).kind === "connection_error"; tries += 1)
    await pause(50);
});
afterAll(() => void running.kill());

async function decide(given: Parameters<typeof givenQuestion>[0], secret = endpoint.secret) {
  const asks = toAsks(givenQuestion(given));
  return (await askOnce({ ...endpoint, secret }, asks, new Date(Date.now() + 2_000))).reply;
}

it("the guide's receiver decides, and only on questions with its secret", async () => {
  expect(await decide({ amount: 50_000 })).toEqual({ kind: "approve", amountMinor: 50_000 });
  expect(await decide({ amount: 50_001 })).toEqual({ kind: "decline", reason: "Above 500.00" });
  expect(await decide({ merchant: { mcc: "7995" } })).toEqual({ kind: "decline", reason: "No gambling" });
  const { secret } = givenEndpoint(endpoint.url);
  expect(await decide({}, secret)).toMatchObject({ kind: "bad_answer", detail: "HTTP status 401, not 200" });
});
