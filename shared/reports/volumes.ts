import { authorizationList } from "../authorizations/holds/history.ts";
import type { AuthorizationStatus } from "../contract/authorizations.ts";
import { maximumVolumes, type VolumeGroup, type VolumeRow, type VolumeSubject } from "../contract/reports.ts";
import { type Entry, entryAttributes, type ListKind, type Value } from "../lists/kind.ts";
import { type WalkPlace, walkList } from "../lists/walk.ts";
import { dateAt, periodOfDate } from "../platform/calendar.ts";
import { type Transaction, transactionList } from "../transactions/transaction.ts";
import { unposted } from "../transactions/transaction-view.ts";

interface Scope {
  readonly programId: string;
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly of: VolumeSubject;
  readonly groupBy: readonly VolumeGroup[];
}

type Sums = Omit<VolumeRow, VolumeGroup>;
type Amount = Exclude<keyof Sums, "count">;

interface Summed {
  readonly kind: ListKind;
  readonly excluded?: Readonly<Record<string, Value>>;
  /** All that it adds up, in the order in which they are answered. */
  readonly amounts: readonly [Amount, Amount];
  /** What an entry adds, beside its group. */
  readonly read: (entry: Entry) => Partial<Record<Amount, number>> & Pick<VolumeRow, "mcc" | "status">;
}

const summed: Readonly<Record<VolumeSubject, Summed>> = {
  transactions: {
    kind: transactionList,
    excluded: unposted,
    amounts: ["debitAmount", "creditAmount"],
    read: (entry) => {
      const { transStatus: status, type, amountMinor, mcc } = toKnown<Transaction>(transactionList, entry);
      return { status, mcc, [type === "DR" ? "debitAmount" : "creditAmount"]: amountMinor };
    },
  },
  authorizations: {
    kind: authorizationList,
    amounts: ["requestedAmount", "clearedAmount"],
    read: (entry) => {
      const { status, mcc, requestedMinor, clearedMinor } = toKnown<KnownAuthorization>(
        authorizationList,
        entry,
      );
      return { status, mcc, requestedAmount: requestedMinor, clearedAmount: clearedMinor };
    },
  },
};

interface KnownAuthorization extends Pick<VolumeRow, "mcc"> {
  readonly status: AuthorizationStatus;
  readonly requestedMinor: number;
  readonly clearedMinor: number;
}

/** The two amounts that are added up. */
export const summedAmounts = (of: VolumeSubject): readonly [Amount, Amount] => summed[of].amounts;

export interface Volumes {
  readonly rows: VolumeRow[];
  readonly total: Sums;
}

/** Some hundred blocks are read, and in memory, at once. */
const entriesAtOnce = 20_000;

/**
 * Adds up what the list knows of transactions or authorizations: no record is read. Undefined if
 * there are more than a request takes.
 */
export async function sumVolumes(
  { programId, from, to, timeZone, of, groupBy }: Scope,
  maximum: Readonly<Record<"entries" | "rows", number>> = maximumVolumes,
): Promise<Volumes | undefined> {
  const { kind, excluded = {} } = summed[of];
  const list = { programId, kind };
  const walk = { excluded, from: Date.parse(from), until: Date.parse(to), limit: entriesAtOnce };
  const tally = new Tally(summed[of], groupBy, timeZone);
  let after: WalkPlace | undefined;
  do {
    const { entries, place, left } = await walkList(list, { ...walk, after });
    if (tally.total.count + left > maximum.entries) return undefined;
    for (const entry of entries) tally.add(entry);
    if (tally.size > maximum.rows) return undefined;
    after = place;
  } while (after);
  return { rows: tally.rows(), total: tally.total };
}

class Tally {
  readonly total: Sums;
  readonly #summed: Summed;
  readonly #groupBy: readonly VolumeGroup[];
  readonly #timeZone: string;
  readonly #rows = new Map<string, VolumeRow>();
  #day = { name: "", until: Number.NEGATIVE_INFINITY };

  constructor(of: Summed, groupBy: readonly VolumeGroup[], timeZone: string) {
    this.#summed = of;
    this.total = this.#nothing();
    this.#groupBy = groupBy;
    this.#timeZone = timeZone;
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Entries come in the order of their creation. */
  add(entry: Entry): void {
    const { status, mcc = null, ...added } = this.#summed.read(entry);
    const all = { day: this.#dayAt(entry.createdAt), mcc, status };
    const group = Object.fromEntries(this.#groupBy.map((name) => [name, all[name]]));
    const key = JSON.stringify(group);
    const row = this.#rows.get(key) ?? { ...group, ...this.#nothing() };
    this.#rows.set(key, row);
    for (const sums of [row, this.total]) {
      sums.count += 1;
      for (const name of this.#summed.amounts) sums[name] = (sums[name] ?? 0) + (added[name] ?? 0);
    }
  }

  rows(): VolumeRow[] {
    const keys = (row: VolumeRow) => this.#groupBy.map((name) => String(row[name] ?? "").padStart(10));
    return [...this.#rows.values()].toSorted((one, other) => (keys(one) < keys(other) ? -1 : 1));
  }

  #nothing(): Sums {
    return { count: 0, ...Object.fromEntries(this.#summed.amounts.map((name) => [name, 0])) };
  }

  #dayAt(atMs: number): string {
    if (atMs >= this.#day.until) {
      const name = dateAt(atMs, this.#timeZone);
      this.#day = { name, until: periodOfDate("day", name, this.#timeZone).until };
    }
    return this.#day.name;
  }
}

function toKnown<T>(kind: ListKind, entry: Entry): T {
  return entryAttributes(kind, entry) as unknown as T;
}
