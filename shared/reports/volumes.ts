import { maximumVolumes, type VolumeGroup, type VolumeRow } from "../contract/reports.ts";
import { type Entry, entryAttributes } from "../lists/entry.ts";
import { type WalkPlace, walkList } from "../lists/walk.ts";
import { dateAt, periodOfDate } from "../platform/calendar.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { transactionList } from "../transactions/transaction.ts";
import { unposted } from "../transactions/transaction-view.ts";

interface Scope {
  readonly programId: string;
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly groupBy: readonly VolumeGroup[];
}

type Sums = Pick<VolumeRow, "count" | "debitAmount" | "creditAmount">;

export interface Volumes {
  readonly rows: VolumeRow[];
  readonly total: Sums;
}

/** Some hundred blocks are read, and in memory, at once. */
const entriesAtOnce = 20_000;

/**
 * Adds up what the list knows of its transactions: no record is read. Undefined if there are more
 * than a request takes.
 */
export async function sumVolumes(
  { programId, from, to, timeZone, groupBy }: Scope,
  maximum: Readonly<Record<"transactions" | "rows", number>> = maximumVolumes,
): Promise<Volumes | undefined> {
  const list = { programId, kind: transactionList };
  const walk = { excluded: unposted, from: Date.parse(from), until: Date.parse(to), limit: entriesAtOnce };
  const tally = new Tally(groupBy, timeZone);
  let after: WalkPlace | undefined;
  do {
    const { entries, place, left } = await walkList(list, { ...walk, after });
    if (tally.total.count + left > maximum.transactions) return undefined;
    for (const entry of entries) tally.add(entry);
    if (tally.size > maximum.rows) return undefined;
    after = place;
  } while (after);
  return { rows: tally.rows(), total: tally.total };
}

type Known = Pick<Transaction, "transStatus" | "type" | "amountMinor" | "mcc">;

class Tally {
  readonly total: Sums = { count: 0, debitAmount: 0, creditAmount: 0 };
  readonly #groupBy: readonly VolumeGroup[];
  readonly #timeZone: string;
  readonly #rows = new Map<string, VolumeRow>();
  #day = { name: "", until: Number.NEGATIVE_INFINITY };

  constructor(groupBy: readonly VolumeGroup[], timeZone: string) {
    this.#groupBy = groupBy;
    this.#timeZone = timeZone;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Entries come in the order of their creation. */
  add(entry: Entry): void {
    const { transStatus: status, type, amountMinor, mcc = null } = toKnown(entry);
    const all = { day: this.#dayAt(entry.createdAt), mcc, status };
    const group = Object.fromEntries(this.#groupBy.map((name) => [name, all[name]]));
    const key = JSON.stringify(group);
    const row = this.#rows.get(key) ?? { ...group, count: 0, debitAmount: 0, creditAmount: 0 };
    this.#rows.set(key, row);
    for (const sums of [row, this.total]) {
      sums.count += 1;
      sums[type === "DR" ? "debitAmount" : "creditAmount"] += amountMinor;
    }
  }

  rows(): VolumeRow[] {
    const keys = (row: VolumeRow) => this.#groupBy.map((name) => String(row[name] ?? "").padStart(10));
    return [...this.#rows.values()].toSorted((one, other) => (keys(one) < keys(other) ? -1 : 1));
  }

  #dayAt(atMs: number): string {
    if (atMs >= this.#day.until) {
      const name = dateAt(atMs, this.#timeZone);
      this.#day = { name, until: periodOfDate("day", name, this.#timeZone).until };
    }
    return this.#day.name;
  }
}

function toKnown(entry: Entry): Known {
  return entryAttributes(transactionList, entry) as unknown as Known;
}
