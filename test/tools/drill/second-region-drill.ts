import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { undoTorn } from "../../../infra/commands/failover/undo-torn.ts";
import { connectionFile } from "../../../infra/development/connection.ts";
import { startDynamo } from "../../../infra/local/engines/dynamo.ts";
import { localIdentity } from "../../../infra/local/provision.ts";
import { givenCard, givenWallet } from "../../harness/given-cards.ts";
import { existingProgram, givenLiveProgram, type LiveProgram } from "../../harness/given-live-program.ts";
import { randomFrom } from "../../harness/random.ts";
import { SmokeConnection } from "../smoke/deployment.ts";
import { smoke } from "../smoke/smoke.ts";
import { command, commandIn, copyTables, keepBeside, type Practice } from "./practice.ts";
import { apply, arrived, changesSince, streamEnd } from "./replicate.ts";
import { secondStage } from "./second-stage.ts";

/** So many transfers are acknowledged before the first region is lost, these many at once. */
const [transfers, atOnce] = [60, 4];
/** Changes of items that are under way to the other region at any time. */
const lag = 120;
const [inWallet, amount] = [1_000_000, 700];

interface Acknowledged {
  readonly key: string;
  readonly transferId: string;
}

/**
 * Loses a platform under traffic while a second store gets its items late and one by one, fails
 * over to that store, finds what was lost, lets the callers repeat their requests, and fails back.
 */
export const secondRegionDrill = (seed: number) => async (practice: Practice) => {
  const { step } = practice;
  const [first, second, served] = ["first", "second", "served"].map(practice.placeOf) as [
    string,
    string,
    string,
  ];
  const platform = await practice.start(first, { hasReplica: true });
  const program = await givenLiveProgram(platform.connection);
  const from = await givenWallet(program, inWallet);
  const { cardId: to } = await givenCard(program);
  await platform.settled();
  copyTables(first, second);
  const [copiedAt, copiedTo] = [new Date(), streamEnd(first)];
  step("The second region has a copy of the first one's tables");
  const made = await transfer(program, { from, to });
  await program.close();
  await platform.stop();
  step(`The first region is lost, after ${made.length} acknowledged transfers`);

  const changes = changesSince(first, copiedTo);
  const here = arrived(changes, lag, randomFrom(seed).fraction);
  const engine = await startDynamo({ directory: path.join(second, "dynamodb"), choice: "dynoxide" });
  const { region, issuingTable, accountsTable } = platform.connection.store;
  const client = { ...localIdentity, region, endpoint: engine.endpoint };
  const [dynamo, streams] = [new DynamoDBClient(client), new DynamoDBStreamsClient(client)];
  const undo = () => undoTorn({ dynamo, streams, tables: [issuingTable, accountsTable] }, copiedAt);
  try {
    await apply(dynamo, here);
    step(`The second region has ${here.length} of ${changes.length} changes of items`);
    const undone = await undo();
    const torn = undone.filter(({ isTorn }) => isTorn).length;
    if (torn === 0) throw new Error("No transaction is torn: the drill proves nothing.");
    step(`${torn} transactions came in part and are undone, with ${undone.length - torn} upon them`);
    // After a failure the command is repeated.
    const more = await undo();
    if (more.length > 0) throw new Error(`A second undo undoes ${more.length} more.`);
  } finally {
    dynamo.destroy();
    streams.destroy();
    await engine.stop();
  }
  copyTables(second, served);
  // Each region's gateway has usage keys of its own.
  keepBeside(first, served, ["usage-keys.json"]);
  const assembly = await secondStage(practice.placeOf("assembly"));
  const other = await practice.start(served, { hasReplica: true, assembly });
  step(`The second region's stacks serve in ${other.connection.store.region}`);
  const reached = { tenantId: other.connection.tenantId, programId: program.programId };
  const again = await existingProgram(other.connection, reached);
  const { status: withoutKey } = await again.call("GET /wallets/{walletId}", { path: { walletId: from } });
  if (withoutKey !== 503) throw new Error(`A request without a usage key is answered ${withoutKey}.`);
  step((await commandIn(served, "failover", "usage-keys", "local")).trim());
  const since = `${copiedAt.toISOString().slice(0, 19)}Z`;
  step((await command("failover", "republish", connectionFile(served), "--since", since)).trim());
  await other.settled();
  const check = async (directory: string) => {
    const file = connectionFile(directory);
    await command("lists", "rebuild", file, program.programId);
    step((await command("audit", file)).trim().split("\n").at(-1) ?? "");
  };
  await check(served);

  await smoke(SmokeConnection.parse(other.connection), () => {});
  step("The smoke test passes there");

  const kept = new Set<string>();
  for (const { key, transferId } of made) {
    const { transferId: now } = await transferOnce(again, { from, to }, key);
    if (now === transferId) kept.add(key);
  }
  const lost = made.filter(({ key }) => !kept.has(key));
  if (lost.length === 0 || kept.size === 0)
    throw new Error(`${lost.length} transfers were lost, ${kept.size} kept.`);
  step(
    `${lost.length} acknowledged transfers were lost: repeated, they are made; ${kept.size} are not made twice`,
  );
  await other.settled();
  await expectBalance(again, from, inWallet - made.length * amount);
  await check(served);

  await again.close();
  await other.stop();
  await copyBack(served, first);
  const returned = await practice.start(first, { hasReplica: true });
  step("A platform serves in the first region again, whose tables have become as the second's");
  await check(first);
  await smoke(SmokeConnection.parse(returned.connection), () => {});
  step("The smoke test passes here too");
};

/** The first region's tables still have what was lost. */
async function copyBack(from: string, to: string): Promise<void> {
  const engines = await Promise.all(
    [from, to].map((directory) =>
      startDynamo({ directory: path.join(directory, "dynamodb"), choice: "dynoxide" }),
    ),
  );
  try {
    const files = engines.map(({ endpoint }, index) => {
      const connection = JSON.parse(readFileSync(connectionFile(index === 0 ? from : to), "utf8"));
      const file = path.join(index === 0 ? from : to, "store.json");
      writeFileSync(file, JSON.stringify({ store: { ...connection.store, endpoint } }));
      return file;
    });
    await command("failover", "copy", files[0] ?? "", "--to", files[1] ?? "");
  } finally {
    await Promise.all(engines.map((engine) => engine.stop()));
  }
}

interface Route {
  readonly from: string;
  readonly to: string;
}

async function transfer(program: LiveProgram, route: Route): Promise<Acknowledged[]> {
  const made: Acknowledged[] = [];
  let next = 0;
  const work = async () => {
    while (next < transfers) {
      const key = `drill-${next++}`;
      made.push({ key, ...(await transferOnce(program, route, key)) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return made;
}

/** Repeated where the platform is not ready. */
async function transferOnce(program: LiveProgram, { from, to }: Route, key: string) {
  const body = { sourceWalletId: from, destinationType: 1, destinationId: to, amount };
  const request = { body, headers: { "idempotency-key": key } };
  let { status, body: answer } = await program.call("POST /wallets/transfer", request);
  for (let attempts = 1; status === 503 && attempts < 5; attempts += 1)
    ({ status, body: answer } = await program.call("POST /wallets/transfer", request));
  if (status !== 200) throw new Error(`The transfer ${key} is answered ${status}: ${JSON.stringify(answer)}`);
  return { transferId: String((answer.data as { transferId: string }).transferId) };
}

async function expectBalance(program: LiveProgram, walletId: string, minor: number) {
  const { body } = await program.call("GET /wallets/{walletId}", { path: { walletId } });
  const { availableBalance } = body.data as { availableBalance: number };
  if (availableBalance !== minor) throw new Error(`The Wallet has ${availableBalance}, not ${minor}.`);
}
