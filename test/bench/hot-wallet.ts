import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readAccount } from "../../shared/domain/ledger/read-account.ts";
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
/** Of one reading and one transfer of `watchedAmount` a second, meanwhile. */
const p99Limit = 1_000;
const fundsMinor = 10_000_000;
/** More than a shard has. */
const watchedAmount = 200_000;

export const columns = [
  "callers",
  "transfers/s",
  "p99 ms",
  "GET p99",
  "partial p99",
  "conflicts a transfer",
  "refused",
  "ratio",
  "limit",
];

interface Round {
  readonly rate: number;
  readonly p99Ms: number;
  readonly readMs: readonly number[];
  readonly partialMs: readonly number[];
  readonly conflicts: number;
  readonly refused: readonly string[];
}

/** Transfers from one Wallet to 1,000 Cards, against the same from a Wallet for each caller. */
export async function hotWallet(engine: string): Promise<Row[]> {
  const store = await startRejectingEngine(engine);
  const env = { ...process.env, AWS_ENDPOINT_URL_DYNAMODB: store.endpoint, LOG_LEVEL: "ERROR" };
  const file = new URL("hot-wallet-callers.ts", import.meta.url);
  const children = Array.from({ length: processes + 1 }, () =>
    fork(file, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  try {
    await Promise.all(children.map((child) => once(child, "message")));
    let found = await compare(children, () => store.conflicts);
    for (let attempt = 2; attempt <= attempts && findBroken(found).length > 0; attempt += 1) {
      progress(findBroken(found).join(" "));
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
  const [shared, watched] = [
    await givenStoredWallet(programId, fundsMinor),
    await givenStoredWallet(programId, fundsMinor),
  ];
  const measured = { own: [] as Round[], shared: [] as Round[] };
  const apart = { walletIds: own, watchedId: watched };
  const hot = { walletIds: own.map(() => shared), watchedId: shared };
  const measure = (wallets: Wallets, seconds = secondsInRound) =>
    run(children, { programId, cardIds, seconds }, wallets, conflicts);
  // Opens connections.
  await measure(apart, 1);
  for (let round = 1; round <= rounds; round += 1) {
    progress(`transfers, round ${round} of ${rounds}`);
    measured.own.push(await measure(apart));
    measured.shared.push(await measure(hot));
  }
  await assertExact(programId, [...own, shared, watched], cardIds);
  return { apart: summary(measured.own), hot: summary(measured.shared) };
}

interface Wallets {
  /** Of each caller. */
  readonly walletIds: readonly string[];
  readonly watchedId: string;
}

/** The last process watches. */
async function run(
  children: readonly ChildProcess[],
  work: Pick<Work, "programId" | "cardIds" | "seconds">,
  { walletIds, watchedId }: Wallets,
  conflicts: () => number,
): Promise<Round> {
  const before = conflicts();
  const startedMs = performance.now();
  const done = await Promise.all(
    children.map(async (child, index) => {
      const answer = once(child, "message");
      const own = walletIds.slice(index * callersInProcess, (index + 1) * callersInProcess);
      const watched = { walletId: watchedId, amount: watchedAmount };
      child.send({ ...work, walletIds: own, ...(own.length === 0 && { watched }) } satisfies Work);
      return (await answer)[0] as Done;
    }),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const all = (name: "tookMs" | "readMs" | "partialMs") => done.flatMap((one) => one[name]);
  const [tookMs, readMs, partialMs] = [all("tookMs"), all("readMs"), all("partialMs")];
  moved += tookMs.length + partialMs.length * watchedAmount;
  return {
    rate: tookMs.length / seconds,
    p99Ms: percentile(tookMs, 99),
    readMs,
    partialMs,
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
    readMs: measured.flatMap(({ readMs }) => readMs),
    partialMs: measured.flatMap(({ partialMs }) => partialMs),
    conflicts: of("conflicts"),
    refused: measured.flatMap(({ refused }) => refused),
  };
}

type Found = Awaited<ReturnType<typeof compare>>;

function findBroken({ apart, hot }: Found): string[] {
  const ratio = hot.rate / apart.rate;
  const broken: string[] = [];
  if (ratio < rateLimit)
    broken.push(
      `Transfers from one Wallet come to ${ratio.toFixed(2)} of those from unshared ones, not ${rateLimit}.`,
    );
  for (const [what, took] of [
    ["A GET", hot.readMs],
    ["A partial transfer", hot.partialMs],
  ] as const) {
    const p99Ms = percentile(took, 99);
    if (p99Ms > p99Limit) broken.push(`${what} took ${p99Ms.toFixed(0)} ms, more than ${p99Limit}.`);
  }
  const [first] = hot.refused;
  if (first) broken.push(`Of the callers of one Wallet ${hot.refused.length} were refused: ${first}`);
  return broken;
}

function toRows(found: Found): Row[] {
  const { apart, hot } = found;
  const cells = ({ rate, p99Ms, readMs, partialMs, conflicts, refused }: Round) => [
    rate.toFixed(0),
    p99Ms.toFixed(0),
    percentile(readMs, 99).toFixed(0),
    percentile(partialMs, 99).toFixed(0),
    conflicts.toFixed(2),
    refused.length,
  ];
  const broken = findBroken(found);
  return [
    { cells: ["64, a Wallet each", ...cells(apart), "", ""] },
    {
      cells: ["64, one Wallet", ...cells(hot), (hot.rate / apart.rate).toFixed(2), rateLimit],
      broken: broken.length > 0 ? broken.join(" ") : undefined,
    },
  ];
}
