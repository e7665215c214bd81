import { ok } from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { type Random, randomFrom } from "../../harness/random.ts";
import { endRunning, type PlatformProcess, startedPlatform } from "../../system/platform-process.ts";
import { startBankMoney } from "./bank-money.ts";
import { auditBooks, compare, issueCards, settle, withClient } from "./cards.ts";
import { startTransfers } from "./hot-wallet.ts";
import { networkEvents } from "./network-events.ts";
import { batchSize, inBatches, sendEvents } from "./network-queue.ts";

export interface FaultyRunOptions {
  readonly events: number;
  /** How often the whole platform is killed, workers, queues and stream with it. */
  readonly kills: number;
  /** How often the store alone is. */
  readonly engineKills: number;
  readonly random: Random;
  say(line: string): void;
}

const fundingMinor = 100_000_000;
const cardCount = 10;

/**
 * Sends card events, one in five twice, transfers from a Wallet with shards, and payouts and pulls
 * with what the bank says of them, and kills platform and store at random. Each must be applied
 * exactly once.
 * @throws AssertionError where something was lost or doubled.
 */
export async function faultyRun({
  events,
  kills,
  engineKills,
  random,
  say,
}: FaultyRunOptions): Promise<void> {
  await using cleaning = cleanUp();
  const directory = mkdtempSync(join(tmpdir(), "faults-"));
  cleaning.defer(() => rmSync(directory, { recursive: true, force: true }));
  cleaning.defer(endRunning);
  let platform = await startedPlatform(directory);
  const cards = await withClient(platform, (client) => issueCards(client, cardCount, fundingMinor));
  const { programId } = platform.connection();
  const own = randomFrom(random.below(1_000_000));
  const transfers = await startTransfers({ directory, platform: () => platform, random: own });
  const bankMoney = await startBankMoney({ platform: () => platform, random: own });
  const { events: told, totals } = networkEvents({
    programId,
    ...cards,
    count: events,
    fundingMinor,
    random,
  });
  const sendings = random.shuffle([...told, ...told.filter(() => random.chance(0.2))]);
  const batches = inBatches(sendings);
  const killAfter = new Map<number, "platform" | "engine">();
  for (let n = 0; n < kills; n += 1) killAfter.set(random.below(batches.length), "platform");
  for (let n = 0; n < engineKills; n += 1) killAfter.set(random.below(batches.length), "engine");
  for (const [number, batch] of batches.entries()) {
    await sendEvents(platform.connection(), batch);
    const victim = killAfter.get(number);
    if (!victim) continue;
    await Promise.all([transfers.proceed(20), bankMoney.proceed(5)]);
    await delay(random.fraction() * 1_000);
    say(`Killing the ${victim} after ${number * batchSize} of ${sendings.length} messages`);
    if (victim === "engine") killEngine(platform);
    else {
      await platform.end("SIGKILL");
      platform = await startedPlatform(directory);
    }
  }
  await Promise.all([transfers.proceed(20), bankMoney.proceed(5)]);
  say(await transfers.stop());
  say(await bankMoney.stop());
  say("All is sent; waiting until it is applied");
  await withClient(platform, (client) => settle(client, platform.connection(), totals));
  await withClient(platform, (client) => compare(client, platform.connection(), totals));
  await auditBooks(directory);
}

/** Kills only the platform's DynamoDB engine, which its supervisor starts again. */
function killEngine({ child: { pid } }: PlatformProcess): void {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" "),
  );
  const engine = children.find(
    (one) => one !== "" && readFileSync(`/proc/${one}/cmdline`, "utf8").includes("dynoxide"),
  );
  ok(engine, "The platform has no engine.");
  process.kill(Number(engine), "SIGKILL");
}
