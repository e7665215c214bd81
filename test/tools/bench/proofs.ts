import type { BalanceProof } from "../../../shared/contract/balances.ts";
import type { Account } from "../../../shared/ledger/account.ts";
import { proveBalances, proveFromJournal } from "../../../shared/proofs/prove-balances.ts";
import { advanceCheckpoint } from "../../../shared/proofs/read-journal.ts";
import { givenHistory } from "../../harness/given-journal.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { median, progress, type Row } from "./report.ts";

export const columns = [
  "account, journal entries",
  "proof ms",
  "read units",
  "ratio",
  "ratio of units",
  "limit",
];

/** Of the read units. */
const limit = 1;
const repetitions = 40;
const sizes = [300, 20_000];
/** The newest entries, which no checkpoint covers. */
const newest = 200;

/** Proofs of long journals against short ones, each with the checkpoint that the indexer leaves. */
export async function timesOfProofs(): Promise<Row[]> {
  const programId = await givenStoredProgram();
  const rows: Row[] = [];
  for (const kind of ["card", "wallet"] as const) rows.push(...(await rowsOf(programId, kind)));
  return rows;
}

async function rowsOf(programId: string, kind: Account["kind"]): Promise<Row[]> {
  const rows: Row[] = [];
  let short: readonly [ms: number, units: number] | undefined;
  for (const count of sizes) {
    progress(`proofs: ${kind}, ${count}`);
    const account = await givenAccount(programId, kind, count);
    const add = (name: string, [ms, units]: readonly [number, number], most?: number) => {
      const [ofTime, ofUnits] = [ms / (short?.[0] ?? ms), units / (short?.[1] ?? units)];
      const sentence = `A proof of ${count} entries takes ${units} read units, ${ofUnits.toFixed(2)} times those of ${sizes[0]}.`;
      rows.push({
        cells: [name, ms.toFixed(1), units, ofTime.toFixed(2), ofUnits.toFixed(2), most ?? ""],
        broken: most !== undefined && ofUnits > most ? sentence : undefined,
      });
    };
    const measured = await measureProofs(() => proveBalances(programId, account), count);
    add(`${kind}, ${count}`, measured, limit);
    short ??= measured;
    const whole = await measureProofs(() => proveFromJournal(programId, account), count, 3);
    add("  from the whole journal", whole);
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
