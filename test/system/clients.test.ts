import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { givenCard } from "../harness/given-cards.ts";
import { freePort } from "../harness/listen.ts";
import { ended } from "../harness/run-program.ts";
import { command } from "../tools/clients.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** Debian's package `golang-go`. */
const hasGo = spawnSync("go", ["version"]).status === 0;
const hasPython = spawnSync("python3", ["-c", "import typing; typing.NotRequired"]).status === 0;

let given: GivenPlatform;
let port: number;
let cardId: string;

beforeAll(async () => {
  port = await freePort();
  given = await givenPlatform({ receivers: [`http://127.0.0.1:${port}`] });
  const { connection, directory, program } = given;
  ({ cardId } = await givenCard(program));
  const body = { amount: 10_000, reference: "Funds" };
  await program.call("POST /wallets/{walletId}/bank-deposit", {
    path: { walletId: connection.walletId },
    body,
  });
  await program.call("POST /cards/{cardId}/force-post", { path: { cardId }, body: { amount: 100 } });
  writeFileSync(path.join(directory, "connection.json"), JSON.stringify(connection));
});
afterAll(() => given?.stop());

async function run(
  program: string,
  words: string[],
  options: { cwd?: string; env?: object; input?: string } = {},
) {
  const { cwd, env, input = "" } = options;
  const child = spawn(program, words, { cwd, env: { ...process.env, NODE_OPTIONS: "", ...env } });
  child.stdin.end(input);
  const { status, stdout, stderr } = await ended(child);
  expect(status, `${program}: ${stdout}${stderr}`).toBe(0);
  return stdout.trim();
}

/** A notification as a receiver has it. */
function signed(): string {
  const secret = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
  const body = JSON.stringify({ type: "card.status_changed", data: { name: "Ä" } });
  const at = new Date();
  const headers = {
    "Webhook-Id": "ntf_1",
    "Webhook-Timestamp": String(Math.floor(at.getTime() / 1_000)),
    "Webhook-Signature": new Webhook(secret).sign("ntf_1", at, body),
  };
  return JSON.stringify({ secret, headers, body });
}

async function written(language: string): Promise<string> {
  const folder = path.join(given.directory, language);
  await command.run({ words: [language, folder], options: {}, passed: [] });
  return folder;
}

const connectionFile = () => path.join(given.directory, "connection.json");

test("the example of the docs has 60 lines of code, and runs as it is", async () => {
  const code = readFileSync("client/example.ts", "utf8").split("\n");
  expect(code.filter((line) => line !== "" && !line.startsWith("//")).length).toBeLessThanOrEqual(60);
  const statement = path.join(given.directory, "statement.pdf");
  const env = { PORT: String(port), STATEMENT: statement, LOCAL_DIR: given.directory };
  const printed = await run(process.execPath, ["client/example.ts"], { env });
  expect(printed.split("\n")).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Corner Shop DR 3150$/)]),
  );
  expect(readFileSync(statement, "utf8")).toMatch(/^%PDF-1\.7/);
});

test.skipIf(!hasPython)("the Python client calls the running platform", async () => {
  const cwd = await written("python");
  cpSync("test/system/clients/use.py", path.join(cwd, "use.py"));
  const printed = await run("python3", ["-W", "error", "use.py", connectionFile(), cardId], {
    cwd,
    input: signed(),
  });
  expect(printed).toMatch(/^card\.status_changed wlt_\w+$/);
  const hints =
    "import card_issuing, typing\nfor one in vars(card_issuing).values():\n  if typing.is_typeddict(one): typing.get_type_hints(one)";
  await run("python3", ["-c", hints], { cwd });
});

test.skipIf(!hasGo)("the Go client builds, and calls the running platform", async () => {
  const package_ = await written("go");
  const cwd = path.join(given.directory, "use-go");
  mkdirSync(cwd);
  cpSync("test/system/clients/use.go.txt", path.join(cwd, "main.go"));
  writeFileSync(
    path.join(cwd, "go.mod"),
    `module use\n\ngo 1.18\n\nrequire cardissuing v0.0.0\n\nreplace cardissuing => ${package_}\n`,
  );
  const env = { GOPROXY: "off", GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  expect(await run("go", ["run", ".", connectionFile(), cardId], { cwd, env, input: signed() })).toMatch(
    /^go wlt_\w+$/,
  );
});
