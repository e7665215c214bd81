import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../infra/development/connection.ts";
import { startPlatform } from "../../infra/development/platform.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { issueCards } from "../tools/prove/cards.ts";
import { Client } from "../tools/prove/client.ts";
import { planRecording } from "../tools/replay/inputs/recorder.ts";
import { readRecording } from "../tools/replay/inputs/recording-file.ts";
import { type Replayed, replayInputs } from "../tools/replay/inputs/replayer.ts";

/** Enough to start with: the header and some commands. */
const few = 5;
/** On a busy machine, the functions take long to load. */
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

let directory: string;
let recording: string;
/** What the receiver got while the run was recorded. */
let received: number;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "replay-"));
  recording = path.join(directory, "inputs");
  const receiver = await startReceiver();
  const closed = await startReceiver();
  await closed.stop();
  const [recorded, receivers] = [path.join(directory, "recorded"), [receiver.origin, closed.origin]];
  const settings = { port: 0, directory: recorded, dynamodb: "dynoxide", receivers };
  const platform = await startPlatform({ ...settings, turns: planRecording(recording, recorded, receivers) });
  try {
    await use(platform.connection, receiver, closed.origin);
  } finally {
    await platform.stop();
    await receiver.stop();
  }
  received = receiver.received.length;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Two callers at once, receivers that fail in three ways, and a week. */
async function use(connection: Connection, receiver: Receiver, closedOrigin: string): Promise<void> {
  const client = new Client(connection);
  let attempts = 0;
  receiver.behave(({ path }, response, request) => {
    // It approves; the last one's answer comes too late.
    if (path === "/decide") return response.end('{"decision":"approve"}');
    if (path === "/decide-late") return void setTimeout(() => response.end('{"decision":"approve"}'), 800);
    attempts += 1;
    if (attempts === 1) request.socket.destroy();
    else response.writeHead(attempts === 2 ? 500 : 204).end();
  });
  const { cardIds } = await issueCards(client, 2, 10_000);
  for (const origin of [receiver.origin, closedOrigin])
    await client.call("POST /webhooks", { url: `${origin}/holds`, eventTypes: [1] });
  await client.call("POST /otp/listeners", { cardId: cardIds[0], webhookUrl: `${receiver.origin}/otp` });
  await client.call(`POST /sandbox/cards/${cardIds[0]}/three-ds-challenges`, { expiresInSeconds: 86_400 });
  const authorize = async (cardId: string) => {
    for (let amount = 1; amount <= 3; amount += 1)
      await client.call(`POST /sandbox/cards/${cardId}/authorizations`, { amount, merchantName: "Kiosk" });
  };
  await Promise.all(cardIds.map(authorize));
  for (const path of ["/decide", "/decide-late"]) {
    const endpoint = { url: receiver.origin + path, deadlineMs: 500 };
    await client.call("PUT /authorization-endpoint", endpoint);
    await client.call(`POST /sandbox/cards/${cardIds[0]}/authorizations`, { amount: 4 });
  }
  await client.call("DELETE /authorization-endpoint");
  await advanceClock(connection, "7d");
  await client.call(`GET /cards/${cardIds[0]}/balance`);
  await client.close();
}

async function replay(file = recording): Promise<Replayed> {
  const store = mkdtempSync(path.join(directory, "replayed-"));
  return replayInputs(readRecording(file), { directory: store, dynamodb: "dynoxide" });
}

/** A copy whose lines were changed. */
function changed(change: (lines: string[]) => string[]): string {
  const file = path.join(directory, "changed");
  const lines = readFileSync(recording, "utf8").trimEnd().split("\n");
  writeFileSync(file, `${change(lines).join("\n")}\n`);
  return file;
}

/** The number that a difference gives the input on this line. */
function inputOn(line: number, lines: readonly string[]): number {
  return lines.slice(0, line + 1).filter((each) => each.startsWith('{"at"')).length;
}

describe("a recording of the local platform's inputs", () => {
  it("ends in identical tables, as often as it is replayed, and has no secret", async () => {
    const first = await replay();
    const second = await replay();
    expect(first.difference).toBeUndefined();
    expect(first.writes).toBeGreaterThan(100);
    expect(second).toEqual(first);
    const text = readFileSync(recording, "utf8");
    expect(first.secrets.length).toBeGreaterThan(4);
    for (const secret of first.secrets.filter(({ length }) => length > 6)) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/PRIVATE KEY|cik_|whsec_/);
  });

  it("reproduces receivers that fail, and time that passes", () => {
    const text = readFileSync(recording, "utf8");
    expect(received).toBeGreaterThan(6);
    for (const outcome of ['"refused"', '"lost"', '"status":500', '"status":204'])
      expect(text).toContain(outcome);
    const times = [...text.matchAll(/^\{"at":(\d+)/gm)].map(([, at]) => Number(at));
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7 * 86_400_000);
  });

  it("names the first record and the input that differ if an input was changed", async () => {
    let number = 0;
    const file = changed((lines) => {
      const line = lines.findIndex((each) => each.includes('\\"amount\\":2,'));
      number = inputOn(line, lines);
      return lines.with(line, lines[line]?.replace('\\"amount\\":2,', '\\"amount\\":4,') ?? "");
    });
    const { difference, inputs } = await replay(file);
    expect(inputs).toBe(number);
    expect(difference).toMatch(/^The first record that differs: "prg_\w+#crd_\w+ .*" of .*IssuingTable/);
    expect(difference).toContain(`of input ${number} (POST /v2/sandbox/cards/`);
  });

  it("names the input where another one was left out", async () => {
    let number = 0;
    const file = changed((lines) => {
      const line = lines.findIndex((each) => each.includes('\\"amount\\":2,'));
      number = inputOn(line, lines);
      return lines.toSpliced(line, 1);
    });
    const { difference, inputs } = await replay(file);
    expect(inputs).toBe(number);
    expect(difference).toContain(`input ${number} (`);
  });

  it("names the first record if anything else is drawn", async () => {
    const file = changed(([header = "", ...others]) => {
      const { seed } = JSON.parse(header);
      return [header.replace(seed, `${seed.slice(0, -1)}${seed.endsWith("A") ? "B" : "A"}`), ...others];
    });
    const { difference, inputs } = await replay(file);
    expect(inputs).toBe(1);
    expect(difference).toMatch(/^The first record that differs: "AUTHORITIES /);
  });

  it("says that a table differs in what no input wrote", async () => {
    const file = changed((lines) => [...lines.slice(0, few), lines.at(-1) ?? ""]);
    expect((await replay(file)).difference).toMatch(
      /^All writes agree, but table .* has \d+ records that differ/,
    );
  });

  it("is rejected with its line if it was cut off", () => {
    const text = readFileSync(recording, "utf8");
    const file = path.join(directory, "cut");
    writeFileSync(file, text.slice(0, -200));
    expect(() => readRecording(file)).toThrow(/line \d+: it is cut off/);
    writeFileSync(file, '{"format":"something else"}\n');
    expect(() => readRecording(file)).toThrow(/line 1: it is not of a recording of version 1/);
  });

  it("agrees as far as it goes if its platform was killed", async () => {
    const file = changed((lines) => lines.slice(0, few));
    expect((await replay(file)).difference).toMatch(/^The recording has no end/);
  });

  it("starts with an empty store only", () => {
    const plan = () => planRecording(path.join(directory, "another"), path.join(directory, "recorded"), []);
    expect(plan).toThrow(/A recording starts from an empty store, but .* has data/);
  });
});
