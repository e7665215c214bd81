import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readAccount } from "../../shared/domain/ledger/shards.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { issuingKey } from "../../shared/platform/table/keys.ts";
import { startRejectingEngine } from "../harness/conflicts.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../harness/given-stored.ts";
import type { Done, Work } from "./hot-wallet-callers.ts";
import { median, percentile, progress, type Row } from "./report.ts";

const cardCount = 1_000;
const processes = 4;
const callersInProcess = 16;
const secondsInRound = 4;
const rounds = 3;
/** A machine with other work to do is measured again before a limit counts as broken. */
const attempts = 3;
const rateLimit = 0.8;
const fundsMinor = 10_000_000;

export const columns = [
  "callers",
  "transfers/s",
  "p99 ms",
  "conflicts a transfer",
  "refused",
  "ratio",
  "limit",
];

interface Round {
  readonly rate: number;
  readonly p99Ms: number;
  readonly conflicts: number;
  readonly refused: readonly string[];
}

/** Transfers from one Wallet to 1,000 Cards, against the same from a Wallet for each caller. */
export async function hotWallet(engine: string): Promise<Row[]> {
  const store = await startRejectingEngine(engine);
  const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: store.endpoint, LOG_LEVEL: "ERROR" };
  const file = new URL("hot-wallet-callers.ts", import.meta.url);
  const children = Array.from({ length: processes }, () =>
    fork(file, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    let found = await compare(children, () => store.conflicts);
    for (let attempt = 2; attempt <= attempts && found.ratio < rateLimit; attempt += 1) {
      found = await compare(children, () => store.conflicts);
    }
    return toRows(found);
  } finally {
    for (const child of children) child.kill();
    await store.stop();
  }
}

async function compare(children: readonly ChildProcess[], conflicts: () => number) {
  progress("a thousand Cards");
  const programId = await givenStoredProgram();
  const cardIds: string[] = [];
  while (cardIds.length < cardCount) {
    cardIds.push(...(await Promise.all(Array.from({ length: 50 }, () => givenStoredCard(programId)))));
  }
  const callers = processes * callersInProcess;
  const own = await Promise.all(
    Array.from({ length: callers }, () => givenStoredWallet(programId, fundsMinor)),
  );
  const shared = await givenStoredWallet(programId, fundsMinor);
  const measured = { own: [] as Round[], shared: [] as Round[] };
  // The first round of each opens connections, and turns the shared Wallet hot.
  for (let round = 0; round <= rounds; round += 1) {
    progress(`transfers, round ${round} of ${rounds}`);
    const apart = await run(children, { programId, cardIds, walletIds: own }, conflicts);
    const hot = await run(children, { programId, cardIds, walletIds: own.map(() => shared) }, conflicts);
    if (round === 0) continue;
    measured.own.push(apart);
    measured.shared.push(hot);
  }
  await assertExact(programId, [...own, shared], cardIds);
  const [apart, hot] = [summary(measured.own), summary(measured.shared)];
  return { apart, hot, ratio: hot.rate / apart.rate };
}

async function run(
  children: readonly ChildProcess[],
  work: Omit<Work, "seconds">,
  conflicts: () => number,
): Promise<Round> {
  const before = conflicts();
  const startedMs = performance.now();
  const done = await Promise.all(
    children.map(async (child, index) => {
      const answer = once(child, "message");
      const walletIds = work.walletIds.slice(index * callersInProcess, (index + 1) * callersInProcess);
      child.send({ ...work, walletIds, seconds: secondsInRound } satisfies Work);
      return (await answer)[0] as Done;
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const tookMs = done.flatMap((one) => one.tookMs);
  moved += tookMs.length;
  return {
    rate: tookMs.length / seconds,
    p99Ms: percentile(tookMs, 99),
    conflicts: (conflicts() - before) / tookMs.length,
    refused: done.flatMap((one) => one.refused),
  };
}

let moved = 0;

/** Each transfer moved one minor unit, once. */
async function assertExact(
  programId: string,
  walletIds: readonly string[],
  cardIds: readonly string[],
): Promise<void> {
  const balance = ({ availableMinor }: { availableMinor?: unknown } = {}) => Number(availableMinor);
  const total = (accounts: readonly ({ availableMinor?: unknown } | undefined)[]) =>
    accounts.reduce<number>((sum, account) => sum + balance(account), 0);
  const wallets = walletIds.map((accountId) => readAccount(programId, { kind: "wallet", accountId }));
  const left = total(await Promise.all(wallets));
  const loaded = total(await readBatch(cardIds.map((cardId) => issuingKey.card(programId, cardId))));
  const expected = walletIds.length * fundsMinor - moved;
  if (left !== expected || loaded !== moved)
    throw new Error(`Wallets hold ${left} and Cards ${loaded}, of ${moved} moved.`);
  moved = 0;
}

function summary(measured: readonly Round[]): Round {
  const of = (name: "rate" | "p99Ms" | "conflicts") => median(measured.map((one) => one[name]));
  return {
    rate: of("rate"),
    p99Ms: of("p99Ms"),
    conflicts: of("conflicts"),
    refused: measured.flatMap(({ refused }) => refused),
  };
}

function toRows({ apart, hot, ratio }: { apart: Round; hot: Round; ratio: number }): Row[] {
  const cells = ({ rate, p99Ms, conflicts, refused }: Round) => [
    rate.toFixed(0),
    p99Ms.toFixed(0),
    conflicts.toFixed(2),
    refused.length,
  ];
  const broken = [
    ...(ratio < rateLimit
      ? [
          `Transfers from one Wallet come to ${ratio.toFixed(2)} of those from unshared ones, not ${rateLimit}.`,
        ]
      : []),
    ...(hot.refused.length > 0
      ? [`Of the callers of one Wallet ${hot.refused.length} were refused: ${hot.refused[0]}`]
      : []),
  ];
  return [
    { cells: ["64, a Wallet each", ...cells(apart), "", ""] },
    {
      cells: ["64, one Wallet", ...cells(hot), ratio.toFixed(2), rateLimit],
      broken: broken.length > 0 ? broken.join(" ") : undefined,
    },
  ];
}
