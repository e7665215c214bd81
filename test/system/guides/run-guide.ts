import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import type { Connection } from "../../../infra/development/connection.ts";
import type { Received, Receiver } from "../../harness/receiver.ts";
import { send } from "../tls-request.ts";
import type { Block, Guide } from "./guide-blocks.ts";
import type { KnownValues } from "./known-values.ts";
import type { Shell } from "./shell.ts";
import { documentsIn, expectShown, patternOf } from "./shown-output.ts";

export interface Reader {
  readonly connection: Connection;
  readonly directory: string;
  readonly receiver: Receiver;
  readonly shell: Shell;
  readonly known: KnownValues;
  /** How much the receiver had when the page began. */
  readonly since: number;
}

/** Runs a page's blocks in order, as its reader would, and compares what is shown. */
export async function runGuide({ file, blocks }: Guide, given: Omit<Reader, "since">): Promise<void> {
  const reader = { ...given, since: given.receiver.received.length };
  for (const block of blocks) {
    const where = `${file}:${block.line}`;
    if (block.language === "http") await runRequest(block, reader, where);
    else if (block.language === "sh" || block.language === "bash") await runCommands(block, reader, where);
    else await runProgram(block, reader, where);
  }
}

async function runCommands({ text, shown }: Block, { shell, known }: Reader, where: string): Promise<void> {
  const printed = await shell.run(text);
  if (printed.trim().startsWith("{")) for (const one of documentsIn(printed)) known.learn(one);
  if (shown === undefined) return;
  if (!shown.startsWith("{")) return expect(printed.trim(), where).toMatch(patternOf(shown.trim()));
  const found = documentsIn(printed);
  const expected = documentsIn(shown);
  expect(found.length, `${where}\n${printed}`).toBe(expected.length);
  for (const [index, one] of expected.entries()) expectShown(found[index], one, where);
}

/** The first line has method and path, the rest is the body. */
async function runRequest({ text, shown }: Block, reader: Reader, where: string): Promise<void> {
  const { connection, known, receiver } = reader;
  learnReceived(reader);
  const filled = known.fillExamples(known.fillNames(text), receiver.origin);
  const [first = "", ...rest] = filled.trim().split("\n");
  const [method = "", place = ""] = first.split(" ");
  const body: unknown = rest.length > 0 ? JSON.parse(rest.join("\n")) : undefined;
  const answer = place.startsWith("/")
    ? await callApi(connection, method, place, body)
    : await sendWebhook(place, body, String(known.get("secret")));
  if (shown === undefined)
    expect(answer.status, `${where}\n${JSON.stringify(answer.body)}`).toBeLessThan(300);
  else expectShown(answer.body, JSON.parse(shown), where);
  known.learn(answer.body);
}

/** What the platform sent to the reader's server, such as a review's `sessionId`. */
function learnReceived({ receiver, known }: Reader): void {
  const body = receiver.received.at(-1)?.body.toString() ?? "";
  const { sessionId } = body.startsWith("{") ? JSON.parse(body) : {};
  if (sessionId !== undefined) known.learn({ sessionId });
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function callApi(connection: Connection, method: string, place: string, body: unknown): Promise<Answer> {
  const apiKey = place.startsWith("/account") ? connection.tenantApiKey : connection.programApiKey;
  return send(connection, { method, path: place, headers: { "X-API-Key": apiKey }, body });
}

/** As a bank or compliance provider would, signed by Standard Webhooks. */
async function sendWebhook(url: string, content: unknown, secret: string): Promise<Answer> {
  const body = JSON.stringify(content);
  const id = `msg-${Math.random()}`;
  const at = new Date();
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
  const answer = await fetch(url, { method: "POST", headers, body });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

/** A module of the page. What it does not declare is what a reader has by then: see `valuesFor`. */
async function runProgram({ text, language }: Block, reader: Reader, where: string): Promise<void> {
  const { directory, known, receiver } = reader;
  const values = await valuesFor(text, reader);
  const given = Object.entries(values).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  const file = path.join(directory, `program.${language === "ts" ? "mts" : "mjs"}`);
  writeFileSync(file, [...given, known.fillExamples(text, receiver.origin)].join("\n"));
  await promisify(execFile)(process.execPath, [file], { cwd: directory }).catch((error) => {
    throw new Error(`${where}: ${error.stderr}`);
  });
}

const perReceived: Readonly<Record<string, (one: Received) => unknown>> = {
  headers: ({ headers }) => headers,
  body: ({ body }) => body.toString(),
};

/** `headers` and `body` are of the last notification; other names are of the answers so far. */
async function valuesFor(text: string, { receiver, known, since }: Reader): Promise<Record<string, unknown>> {
  const isUsed = (name: string) => new RegExp(`[^.\\w]${name}\\b(?! *:)`).test(text);
  const isDeclared = (name: string) => new RegExp(`(?:const|let|function) [^=]*\\b${name}\\b`).test(text);
  const values: Record<string, unknown> = {};
  for (const name of ["secret", "headers", "body"].filter((one) => isUsed(one) && !isDeclared(one))) {
    const pick = perReceived[name];
    if (pick === undefined) values[name] = known.get(name);
    else {
      await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBeGreaterThan(since);
      values[name] = pick(receiver.received.at(-1) as Received);
    }
  }
  return values;
}
