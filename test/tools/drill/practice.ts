import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { cleanUp, interrupted } from "../../../infra/command-line/clean-up.ts";
import { useStore } from "../../../infra/commands/audit/connect-store.ts";
import { connectionFile } from "../../../infra/development/connection.ts";
import { type Platform, startPlatform } from "../../../infra/development/platform.ts";
import { layoutFile } from "../../../infra/development/prepare.ts";
import { givenCard } from "../../harness/given-cards.ts";
import type { LiveProgram } from "../../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";

/** Not in the tables, and it outlives them in AWS too: keys, secrets, certificates, usage keys. */
const keptBeside = ["layout", "pki", "secrets.json", "kms.json", "usage-keys.json", "clock.json", "demo"];
const storeFile = path.join("dynamodb", "dynoxide", "data.db");

const run = promisify(execFile);
const dayMs = 86_400_000;

export interface Step {
  readonly seconds: number;
  readonly done: string;
}

export interface Practice {
  /** A place of its own for a platform. */
  placeOf(name: string): string;
  readonly receiver: Receiver;
  /** Runs until the practice ends, or is stopped. */
  start(
    place: string,
    options?: { readonly hasReplica?: boolean; readonly assembly?: string },
  ): Promise<Platform>;
  step(done: string): void;
}

/**
 * @returns the steps, with the seconds since the start at which each was done
 * @throws Error at the first step that fails
 */
export async function practise(
  say: (line: string) => void,
  drill: (practice: Practice) => Promise<void>,
): Promise<Step[]> {
  const startedMs = performance.now();
  const steps: Step[] = [];
  const step = (done: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
    steps.push({ seconds, done });
    say(`${seconds.toFixed(1).padStart(6)} s  ${done}`);
  };
  await using stack = cleanUp();
  const root = mkdtempSync(path.join(tmpdir(), "drill-"));
  stack.defer(() => rmSync(root, { recursive: true, force: true }));
  const receiver = await startReceiver();
  stack.defer(() => receiver.stop());
  const start: Practice["start"] = async (directory, asked = {}) => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const options = { port: 0, directory, dynamodb: "dynoxide", receivers: [receiver.origin], ...asked };
    const starting = startPlatform({ ...options, signal: interrupted });
    stack.defer(async () => (await starting.catch(() => undefined))?.stop());
    return starting;
  };
  await drill({ placeOf: (name) => path.join(root, name), receiver, start, step });
  return steps;
}

/** A Card with money, and a webhook endpoint. */
export async function register(program: LiveProgram, { origin }: Receiver): Promise<string> {
  const { cardId } = await givenCard(program);
  const body = { amount: 1_000_000, pending: false };
  await program.call("POST /cards/{cardId}/deposits", { path: { cardId }, body });
  await program.call("POST /webhooks", { body: { url: `${origin}/`, eventTypes: [1, 2, 3, 4] } });
  return cardId;
}

/** So many requests are made before the store is copied, and these many run at once. */
const [leastRequests, requestsAtOnce] = [10, 2];
const toleratedFailures = 10;

interface Traffic {
  /** Resolves after enough requests for a useful copy of the store. */
  readonly isUnderWay: Promise<void>;
  /** Lets the running ones end. Returns how many there were. */
  stop(): Promise<number>;
}

/** Makes requests until they are stopped. */
export function startTraffic(request: () => Promise<void>): Traffic {
  let [count, failures, isOver] = [0, 0, false];
  const { promise: enough, resolve: underWay } = Promise.withResolvers<void>();
  const work = async () => {
    while (!isOver) {
      try {
        await request();
        count += 1;
      } catch (error) {
        // On a busy machine one may exceed its time: the books have to be in order all the same.
        failures += 1;
        if (failures > toleratedFailures) throw error;
      }
      if (count >= leastRequests) underWay();
    }
  };
  const workers = Promise.all(Array.from({ length: requestsAtOnce }, work));
  return {
    isUnderWay: Promise.race([enough, workers.then(() => {})]),
    stop: async () => {
      isOver = true;
      await workers;
      return count;
    },
  };
}

/** The tables at one moment, without their streams. */
export function copyTables(from: string, to: string): void {
  mkdirSync(path.dirname(path.join(to, storeFile)), { recursive: true, mode: 0o700 });
  const source = new DatabaseSync(path.join(from, storeFile), { timeout: 10_000 });
  source.prepare("VACUUM INTO ?").run(path.join(to, storeFile));
  source.close();
  const copy = new DatabaseSync(path.join(to, storeFile));
  copy.exec("DELETE FROM _stream_records");
  copy.close();
  cpSync(layoutFile(from), layoutFile(to));
}

/** Replaces the tables whose names have this in them by those of a copy of another moment. */
export function takeTables(from: string, to: string, named: RegExp): void {
  const copy = new DatabaseSync(path.join(to, storeFile));
  copy.prepare("ATTACH ? AS other").run(path.join(from, storeFile));
  const tables = copy.prepare("SELECT name FROM other.sqlite_master WHERE type = 'table'").all();
  for (const name of tables.map((one) => String(one.name)).filter((one) => named.test(one)))
    copy.exec(`DELETE FROM main."${name}"; INSERT INTO main."${name}" SELECT * FROM other."${name}"`);
  copy.close();
}

export function keepBeside(from: string, to: string, without: readonly string[] = []): void {
  for (const name of keptBeside.filter(
    (name) => existsSync(path.join(from, name)) && !without.includes(name),
  ))
    cpSync(path.join(from, name), path.join(to, name), { recursive: true });
}

/** Of what runs on a copy: sends events again, then checks lists and books. */
export async function checkRestored(
  { step }: Pick<Practice, "step">,
  restored: Platform,
  { programId, copiedAt }: { readonly programId: string; readonly copiedAt: Date },
): Promise<void> {
  useStore(restored.connection.store);
  // Imported only now: what it imports reads the environment.
  const { republishEvents } = await import("../../../infra/commands/restore/republish-events.ts");
  step(`${await republishEvents(new Date(copiedAt.getTime() - dayMs))} events are sent again`);
  await restored.settled();
  await checkBooks({ step }, restored, programId);
}

export async function checkBooks(
  { step }: Pick<Practice, "step">,
  { directory }: Platform,
  programId: string,
): Promise<void> {
  const file = connectionFile(directory);
  await command("lists", "check", file, programId);
  step("Lists are as their records");
  step((await command("audit", file)).trim().split("\n").at(-1) ?? "");
}

/** Rejects with the command's output if it finds a fault. */
export function command(name: string, ...words: string[]): Promise<string> {
  return commandIn(undefined, name, ...words);
}

/** Of the platform in this place, where it takes an environment. */
export async function commandIn(
  place: string | undefined,
  name: string,
  ...words: string[]
): Promise<string> {
  const env = { ...process.env, ...(place !== undefined && { LOCAL_DIR: place }) };
  const options = { env, signal: interrupted };
  const ran = run(process.execPath, [`infra/commands/${name}.ts`, ...words], options);
  const { stdout } = await ran.catch(({ stdout, stderr }) => {
    throw new Error(`${name} ${words[0]}: ${stdout}${stderr}`);
  });
  return stdout;
}
