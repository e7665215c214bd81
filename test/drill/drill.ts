import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { useStore } from "../../infra/commands/audit/connect-store.ts";
import { connectionFile } from "../../infra/development/connection.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import { givenCard } from "../harness/given-cards.ts";
import { givenLiveProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { SmokeConnection } from "../smoke/deployment.ts";
import { smoke } from "../smoke/smoke.ts";

/** Not in the tables, and it outlives them in AWS too: keys, secrets, certificates, usage keys. */
const keptBeside = ["pki", "secrets.json", "kms.json", "usage-keys.json", "clock.json", "demo"];
const storeFile = path.join("dynamodb", "dynoxide", "data.db");

const run = promisify(execFile);

interface Step {
  readonly seconds: number;
  readonly done: string;
}

/**
 * Copies the store of a platform under traffic and starts a platform on the copy. Books and lists
 * must be in order, requests succeed, and undelivered notifications be sent.
 * @returns the steps, with the seconds since the start at which each was done
 * @throws Error at the first step that fails
 */
export async function drill(say: (line: string) => void): Promise<Step[]> {
  const startedMs = performance.now();
  const steps: Step[] = [];
  const step = (done: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
    steps.push({ seconds, done });
    say(`${seconds.toFixed(1).padStart(6)} s  ${done}`);
  };
  const root = mkdtempSync(path.join(tmpdir(), "drill-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(root, { recursive: true, force: true }));
  const receiver = await startReceiver();
  stack.defer(() => receiver.stop());
  const [first, second] = ["before", "restored"].map((name) => path.join(root, name)) as [string, string];

  const before = await start(first, receiver);
  stack.defer(() => before.stop());
  step("A platform serves");
  const program = await givenLiveProgram(before.connection);
  const cardId = await register(program, receiver);
  const traffic = startTraffic(program, cardId);
  await traffic.isUnderWay;
  const at = new Date();
  copyStore(first, second);
  step("The store is copied while authorizations go on");
  const authorizations = await traffic.stop();
  await program.close();
  await before.stop();
  step(`The platform is gone, after ${authorizations} authorizations`);
  const arrivedBefore = receiver.received.length;

  const restored = await start(second, receiver);
  stack.defer(() => restored.stop());
  step("A platform serves from the copy");
  const { connection } = restored;
  useStore(connection.store);
  const notifications = await undelivered(connection.store.issuingTable, program.programId);
  // Imported only now: what it imports reads the environment.
  const { republishEvents } = await import("../../infra/commands/restore/republish-events.ts");
  step(`${await republishEvents(at)} events are sent again`);
  await restored.settled();
  const file = connectionFile(second);
  await run(process.execPath, ["infra/commands/lists.ts", "check", file, program.programId]);
  step("Lists are as their records");
  const { stdout } = await run(process.execPath, ["infra/commands/audit.ts", file]);
  step(stdout.trim().split("\n").at(-1) ?? "");
  await smoke(SmokeConnection.parse(connection), () => {});
  step("The smoke test passes");
  const arrived = receiver.received.slice(arrivedBefore).map(({ headers }) => headers["webhook-id"]);
  const missing = notifications.filter((id) => !arrived.includes(id));
  if (notifications.length === 0) throw new Error("The copy has no notifications: the drill proves nothing.");
  if (missing.length > 0) throw new Error(`These notifications have not arrived: ${missing.join(", ")}.`);
  step(`The copy sends all of the ${notifications.length} notifications that it does not know as delivered`);
  return steps;
}

/** So many authorizations are answered before the store is copied, and these many run at once. */
const [authorizationsBefore, authorizationsAtOnce] = [10, 2];
const toleratedFailures = 10;

function start(directory: string, { origin }: Receiver): Promise<Platform> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [origin] });
}

/** A Card with money, and a webhook endpoint. */
async function register(program: LiveProgram, { origin }: Receiver): Promise<string> {
  const { cardId } = await givenCard(program);
  const body = { amount: 1_000_000, pending: false };
  await program.call("POST /cards/{cardId}/deposits", { path: { cardId }, body });
  await program.call("POST /webhooks", { body: { url: `${origin}/`, eventTypes: [1, 2, 3, 4] } });
  return cardId;
}

interface Traffic {
  /** Resolves after enough authorizations for a useful copy of the store. */
  readonly isUnderWay: Promise<void>;
  /** Lets the running ones end. Returns how many there were. */
  stop(): Promise<number>;
}

/** Authorizations until they are stopped. */
function startTraffic(program: LiveProgram, cardId: string): Traffic {
  let [count, failures, isOver] = [0, 0, false];
  let underWay = () => {};
  const enough = new Promise<void>((resolve) => {
    underWay = resolve;
  });
  const authorize = async () => {
    while (!isOver) {
      const request = { path: { cardId }, body: { amount: 100 } };
      const { status } = await program.call("POST /cards/{cardId}/authorizations", request);
      if (status === 200) count += 1;
      // On a busy machine one may exceed its time: the books have to be in order all the same.
      else failures += 1;
      if (failures > toleratedFailures) throw new Error(`Authorizations are answered ${status}.`);
      if (count >= authorizationsBefore) underWay();
    }
  };
  const workers = Promise.all(Array.from({ length: authorizationsAtOnce }, authorize));
  return {
    isUnderWay: Promise.race([enough, workers.then(() => {})]),
    stop: async () => {
      isOver = true;
      await workers;
      return count;
    },
  };
}

/** The store at one moment, without its streams, and the files beside it. */
function copyStore(from: string, to: string): void {
  mkdirSync(path.dirname(path.join(to, storeFile)), { recursive: true, mode: 0o700 });
  const source = new DatabaseSync(path.join(from, storeFile), { timeout: 10_000 });
  source.prepare("VACUUM INTO ?").run(path.join(to, storeFile));
  source.close();
  const copy = new DatabaseSync(path.join(to, storeFile));
  copy.exec("DELETE FROM _stream_records");
  copy.close();
  for (const name of keptBeside.filter((name) => existsSync(path.join(from, name)))) {
    cpSync(path.join(from, name), path.join(to, name), { recursive: true });
  }
}

/** The ids of the notifications in the store that have no attempt with success. */
async function undelivered(issuingTable: string, programId: string): Promise<string[]> {
  const [{ paginateScan }, { table }, { parseNotification }] = await Promise.all([
    import("@aws-sdk/lib-dynamodb"),
    import("../../shared/platform/table/client.ts"),
    import("../../shared/domain/notifications/notification.ts"),
  ]);
  const prefix = `${programId}#NOTIFICATION#`;
  const [all, delivered] = [new Set<string>(), new Set<string>()];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: issuingTable })) {
    for (const item of Items) {
      const notification = parseNotification(item);
      if (notification?.programId === programId) all.add(notification.transIdSc);
      const { pk, delivered: isDelivered } = item;
      if (isDelivered && String(pk).startsWith(prefix)) delivered.add(String(pk).slice(prefix.length));
    }
  }
  return [...all].filter((id) => !delivered.has(id));
}
