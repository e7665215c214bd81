import { setTimeout as delay } from "node:timers/promises";
import { randomFrom } from "../../harness/random.ts";
import { type Call, callsOf, clientWithoutRetries } from "../calls.ts";
import { type Population, populate } from "../load/population.ts";
import type { Comparison } from "./comparison.ts";
import { type StartedBuild, startBuild } from "./started-build.ts";

const perSecond = 40;
/** Until what the requests caused has been done, too. */
const settleMs = 1_500;
const half = { most: 0.5 };

/** CPU of all that `npm start` runs, with and without the engine, less that of a rest. */
export const comparison: Comparison = {
  title: "What a request costs the local platform",
  figures: [
    ...["transfer", "read", "authorization"].flatMap((name) => [
      { name, unit: "ms of CPU", ratio: half },
      { name: `${name} without the engine`, unit: "ms of CPU", ratio: half },
    ]),
    { name: "at rest", unit: "ms of CPU a second", ratio: half },
  ],
  // With five pairs, the quick bench took more than four minutes.
  quickPairs: 3,
  open: async ({ directory, isQuick }) => {
    const platform = await startBuild(directory);
    const client = clientWithoutRetries(platform.connection);
    const population = await populate(client);
    const count = isQuick ? 40 : 160;
    return {
      measure: async () => {
        const rest = await cpuOf(platform, () => delay(settleMs));
        const costs: number[] = [];
        for (const send of senders(callsOf(client), population)) {
          await keepRate(count / 4, send);
          const startedMs = performance.now();
          const spent = await cpuOf(platform, () => keepRate(count, send));
          const rests = (performance.now() - startedMs) / settleMs;
          costs.push(...spent.map((ms, index) => (ms - rests * (rest[index] ?? 0)) / count));
        }
        return [...costs, ((rest[0] ?? 0) * 1_000) / settleMs];
      },
      close: async () => {
        await client.close();
        await platform.stop();
      },
    };
  },
};

/** A transfer, a read and an authorization, of Cards and Wallets that no run empties. */
function senders(call: Call, { cardIds, walletIds }: Population): (() => Promise<unknown>)[] {
  const random = randomFrom(1);
  const card = () => random.pick(cardIds);
  return [
    () => {
      const [sourceWalletId, destinationId] = [random.pick(walletIds), card()];
      const body = { sourceWalletId, destinationType: 1, destinationId, amount: 1 } as const;
      return call("POST /wallets/transfer", {}, body);
    },
    () => call("GET /cards/{cardId}/balance", { cardId: card() }),
    () => {
      const body = { amount: 1, merchantName: "Bench" };
      return call("POST /sandbox/cards/{cardId}/authorizations", { cardId: card() }, body);
    },
  ];
}

/** Sends at this rate, whether or not earlier ones are answered, and waits for what they cause. */
async function keepRate(count: number, send: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let number = 0; number < count; number += 1) {
    await delay(Math.max(0, startedMs + (number * 1_000) / perSecond - performance.now()));
    sent.push(send());
  }
  await Promise.all(sent);
  await delay(settleMs);
}

/** Milliseconds of all processes, and of those that are no engine. */
async function cpuOf(platform: StartedBuild, work: () => Promise<void>): Promise<readonly number[]> {
  const look = () => {
    const all = platform.cpuSecondsNow();
    return [all, all - platform.engineSecondsNow()];
  };
  const before = look();
  await work();
  return look().map((seconds, index) => (seconds - (before[index] ?? 0)) * 1_000);
}
