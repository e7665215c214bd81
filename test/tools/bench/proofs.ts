import type { BalanceProof } from "../../../shared/contract/balances.ts";
import type { Account } from "../../../shared/ledger/account.ts";
import { advanceCheckpoint } from "../../../shared/proofs/advance-checkpoint.ts";
import { proveBalances, proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import { givenHistory } from "../../harness/given-journal.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { median, progress, type Row } from "./report.ts";

export const columns = ["account, journal entries", "proof ms", "read units", "ratio", "limit"];

const limit = 4;
const repetitions = 40;
const sizes = [300, 20_000];
/** The newest entries, which no checkpoint covers. */
const newest = 200;
const attempts = 3;

/** Proofs of long journals against short ones, each with the checkpoint that the indexer leaves. */
export async function timesOfProofs(): Promise<Row[]> {
  const programId = await givenStoredProgram();
  const rows: Row[] = [];
  for (const kind of ["card", "wallet"] as const) rows.push(...(await rowsOf(programId, kind)));
  return rows;
}

async function rowsOf(programId: string, kind: Account["kind"]): Promise<Row[]> {
  const rows: Row[] = [];
  let short: number | undefined;
  for (const count of sizes) {
    progress(`proofs: ${kind}, ${count}`);
    const account = await givenAccount(programId, kind, count);
    const prove = () => proveBalances(programId, account);
    let [ms, units] = await measureProofs(prove, count);
    short ??= ms;
    for (let attempt = 1; attempt < attempts && ms / short > limit; attempt += 1) {
      [ms, units] = await measureProofs(prove, count);
    }
    const ratio = ms / short;
    const sentence = `A proof of ${count} entries takes ${ratio.toFixed(2)} times as long as one of ${sizes[0]}.`;
    rows.push({
      cells: [`${kind}, ${count}`, ms.toFixed(1), units, ratio.toFixed(2), limit],
      broken: ratio > limit ? sentence : undefined,
    });
    const [wholeMs, wholeUnits] = await measureProofs(() => proveFromJournal(programId, account), count, 3);
    const wholeRatio = (wholeMs / short).toFixed(2);
    rows.push({ cells: ["  from the whole journal", wholeMs.toFixed(1), wholeUnits, wholeRatio, ""] });
  }
  return rows;
}

async function givenAccount(programId: string, kind: Account["kind"], count: number): Promise<Account> {
  const accountId = await (kind === "card" ? givenStoredCard(programId) : givenStoredWallet(programId));
  const account = { kind, accountId };
  const hourAgo = new Date(Date.now() - 3_600_000);
  await givenHistory({ programId, account, count: count - newest, since: hourAgo });
  await advanceCheckpoint(programId, account);
  await givenHistory({ programId, account, count: newest, since: new Date() });
  return account;
}

/** The median time, and the read units of one proof. */
async function measureProofs(
  prove: () => Promise<BalanceProof>,
  count: number,
  repeated = repetitions,
): Promise<[number, number]> {
  const times: number[] = [];
  const { cost } = await measure(prove);
  for (let repetition = 0; repetition < repeated; repetition += 1) {
    const start = performance.now();
    const { proven, journalEntries } = await prove();
    times.push(performance.now() - start);
    if (!proven || journalEntries !== count) throw new Error("The account is not proven.");
  }
  return [median(times), cost.readUnits];
}
