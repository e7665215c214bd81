import type { ChildProcess } from "node:child_process";
import { cards } from "../../../shared/cards/card.ts";
import { readAccount } from "../../../shared/ledger/hot-wallets.ts";
import { readBatch } from "../../../shared/platform/table/batch.ts";
import type { RejectedOverlaps } from "../../harness/conflicts.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type Round, refusedIn, runRound, summary, withCallers } from "./caller-processes.ts";
import type { Transferred, Work } from "./hot-wallet-callers.ts";
import { percentile, progress, type Row } from "./report.ts";

const cardCount = 1_000;
const processes = 4;
const callersInProcess = 16;
/** Of 64 calls. In AWS, a transaction holds its items for less than a quarter of its request. */
const executedAtOnce = 16;
const secondsInRound = 4;
const rounds = 3;
const fundsMinor = 10_000_000;
/** More than a shard has. */
const largeMinor = 200_000;

export const columns = [
  "64 callers",
  "transfers/s",
  "p99 ms",
  "GET p99",
  "large p99",
  "calls a transfer",
  "conflicts",
  "refused",
  "ratio",
];

type Transfers = Round<Transferred>;

/** Transfers from one Wallet to 1,000 Cards, against the same from a Wallet for each caller. */
export function hotWallet(engine: string): Promise<Row[]> {
  const script = "hot-wallet-callers.ts";
  const callers = { engine, script, count: processes + 1, store: { atOnce: executedAtOnce } };
  return withCallers(callers, compare);
}

async function compare(children: readonly ChildProcess[], store: RejectedOverlaps): Promise<Row[]> {
  progress("a thousand Cards");
  const programId = await givenStoredProgram();
  const cardIds: string[] = [];
  while (cardIds.length < cardCount) {
    cardIds.push(...(await Promise.all(Array.from({ length: 50 }, () => givenStoredCard(programId)))));
  }
  const newWallet = () => givenStoredWallet(programId, fundsMinor);
  const own = await Promise.all(Array.from({ length: processes * callersInProcess }, newWallet));
  const [shared, unshared] = [await newWallet(), await newWallet()];
  const settings = [
    { walletIds: own, watchedId: undefined },
    { walletIds: own.map(() => shared), watchedId: undefined },
    { walletIds: own, watchedId: unshared },
    { walletIds: own.map(() => shared), watchedId: shared },
  ];
  const measure = (index: number) =>
    run(children, { programId, cardIds, seconds: secondsInRound }, settings[index] as Wallets, store);
  // Opens connections, and reads Cards.
  const first = await measure(0);
  const measured: Transfers[][] = [[], [], [], []];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, done] of measured.entries()) {
      progress(`transfers, round ${round} of ${rounds}`);
      done.push(await measure(index));
    }
  }
  const moved = [first, ...measured.flat()].reduce(
    (sum, { tookMs, partialMs }) => sum + tookMs.length + partialMs.length * largeMinor,
    0,
  );
  await assertExact(programId, [...own, shared, unshared], cardIds, moved);
  const [apart, hot, apartWatched, hotWatched] = measured.map((rounds) => summary(rounds)) as [
    Transfers,
    Transfers,
    Transfers,
    Transfers,
  ];
  return [
    toRow("a Wallet each", apart),
    toRow("one Wallet", hot, apart),
    toRow("a Wallet each, GET and large", apartWatched),
    toRow("one Wallet, GET and large", hotWatched, apartWatched),
  ];
}

interface Wallets {
  /** Of each caller. */
  readonly walletIds: readonly string[];
  readonly watchedId: string | undefined;
}

/** The last process watches. */
function run(
  children: readonly ChildProcess[],
  work: Pick<Work, "programId" | "cardIds" | "seconds">,
  { walletIds, watchedId }: Wallets,
  store: RejectedOverlaps,
): Promise<Transfers> {
  return runRound(children, store, (index): Work => {
    const own = walletIds.slice(index * callersInProcess, (index + 1) * callersInProcess);
    const isWatching = own.length === 0 && watchedId !== undefined;
    const watched = isWatching ? { walletId: watchedId, amount: largeMinor, everyMs: 1_000 } : undefined;
    return { ...work, walletIds: own, ...(watched && { watched }) };
  });
}

/** Each transfer moved its amount, once. */
async function assertExact(
  programId: string,
  walletIds: readonly string[],
  cardIds: readonly string[],
  moved: number,
): Promise<void> {
  const balance = ({ availableMinor }: { availableMinor?: unknown } = {}) => Number(availableMinor);
  const total = (accounts: readonly ({ availableMinor?: unknown } | undefined)[]) =>
    accounts.reduce<number>((sum, account) => sum + balance(account), 0);
  const wallets = walletIds.map((accountId) => readAccount(programId, { kind: "wallet", accountId }));
  const left = total(await Promise.all(wallets));
  const loaded = total(await readBatch(cardIds.map((cardId) => cards.key(programId, cardId))));
  if (left !== walletIds.length * fundsMinor - moved || loaded !== moved)
    throw new Error(`Wallets hold ${left} and Cards ${loaded}, of ${moved} moved.`);
}

/** Compared with the same from unshared Wallets. */
function toRow(name: string, round: Transfers, apart?: Transfers): Row {
  const { rate, tookMs, readMs, partialMs, refused } = round;
  const cells = [
    name,
    rate.toFixed(0),
    ...[tookMs, readMs, partialMs].map((took) => (took.length === 0 ? "" : p99(took).toFixed(0))),
    round.calls.toFixed(2),
    round.conflicts.toFixed(2),
    refused.length,
    apart ? (rate / apart.rate).toFixed(2) : "",
  ];
  return { cells, broken: refusedIn(name, round) };
}

const p99 = (took: readonly number[]) => percentile(took, 99);
