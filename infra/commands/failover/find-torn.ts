import { isDeepStrictEqual } from "node:util";
import {
  first,
  placeLength,
  toPlace,
  unknown,
  type WrittenAll,
  writtenAll,
  writtenBefore,
  writtenWith,
} from "../../../shared/platform/table/stamp.ts";

/** An undo is about to delete the item: its deletion is no transaction's. */
export const tomb = "undone";

export type Item = Readonly<Record<string, unknown>>;

/** One change of an item in the replica, as its stream has it. It may be of several writes. */
export interface Change {
  readonly table: string;
  readonly key: Item;
  readonly at: Date;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

export interface UndoneTransaction {
  readonly id: string;
  /** False for a complete one that wrote an item after another that is undone. */
  readonly isTorn: boolean;
  /** `table: pk sk` */
  readonly items: readonly string[];
}

export interface Restored {
  readonly table: string;
  readonly key: Item;
  /** As the replica has it. */
  readonly now: Item | undefined;
  /** As it was before; undefined if there was none. */
  readonly item: Item | undefined;
}

/** An item, by its place. */
type Place = string;

interface Step extends Change {
  /** The transactions that it shows. */
  readonly ids: string[];
  /** Whether it may be of other transactions too. */
  readonly hides: boolean;
}

interface Transaction {
  readonly id: string;
  readonly since: Date;
  /** What it wrote and deleted; undefined where no item says it. */
  all?: { readonly written: readonly Place[]; readonly deleted: readonly Place[] };
  /** The change of each item in which it is seen. */
  readonly seen: Map<Place, number>;
}

/**
 * Finds transactions of which the replica has not every item, and what was written upon them.
 * `changes` are in the order of each item. Transactions that began before `since` were complete by
 * then. `remaining` are the deleted items without a change that are still there.
 */
export function findTorn(changes: readonly Change[], since: Date, remaining: ReadonlySet<Place> = new Set()) {
  const { steps, tombs } = readSteps(changes);
  const known = new Known(steps, remaining);
  const torn = new Set(known.transactions.filter((one) => one.since >= since && !known.isWhole(one)));
  const { undone, from } = undo(torn, known, { steps, since });
  const lost = [...undone].map(({ id, seen }): UndoneTransaction => {
    const items = [...seen].map(([place, index]) => toName(steps.get(place)?.[index] as Step));
    return { id, isTorn: [...torn].some((one) => one.id === id), items };
  });
  const back = [...from].map(([place, index]): Restored => {
    const all = steps.get(place) as Step[];
    const { table, key, before: item } = all[index] as Step;
    return { table, key, now: all.at(-1)?.after, item };
  });
  return { undone: lost, restored: [...tombs.values(), ...back] };
}

/** The items that transactions deleted: table and key by place. */
export function deletedItems(changes: readonly Change[]) {
  return new Map(
    changes
      .flatMap(({ after }) => (after?.[writtenAll] as WrittenAll | undefined)?.deleted ?? [])
      .map(([table, pk, sk]) => [toPlace(table, { pk, sk }), { table, key: { pk, sk } }] as const),
  );
}

const toName = ({ table, key }: Change) => `${table}: ${key.pk} ${key.sk}`;

/** What an earlier undo took back is as if it had never been. */
function readSteps(changes: readonly Change[]) {
  const steps = new Map<Place, Step[]>();
  const tombs = new Map<Place, Restored>();
  for (const change of changes) {
    const { table, key, before, after: now } = change;
    const place = toPlace(table, key);
    const all = steps.get(place) ?? [];
    steps.set(place, all);
    tombs.delete(place);
    if (now?.[tomb]) tombs.set(place, { table, key, now, item: undefined });
    if (before?.[tomb]) continue;
    const end = all.findLastIndex((one) => isDeepStrictEqual(one.before, now?.[tomb] ? undefined : now));
    if (end >= 0 && now !== undefined) all.length = end;
    else all.push({ ...change, ...shownBy(change) });
  }
  return { steps, tombs };
}

/** An item names its last transactions, so that a change of several writes shows them all. */
function shownBy({ before, after }: Change): Pick<Step, "ids" | "hides"> {
  if (after === undefined) return { ids: [], hides: true };
  const all = [writtenWith, ...writtenBefore].map((name) => String(after[name] ?? first));
  const stop = all.findIndex((id) => id === first || id === unknown);
  const ids = stop < 0 ? all : all.slice(0, stop);
  const known = before?.[writtenWith] ?? first;
  const end = known === all[stop] ? stop : ids.indexOf(String(known));
  return { ids: end < 0 ? ids : ids.slice(0, end), hides: end < 0 };
}

/** Not one of an item whose time was up. */
function isDeletion({ before, after, at }: Change): boolean {
  const { expiresAtSeconds = Number.POSITIVE_INFINITY } = before ?? {};
  return after === undefined && Number(expiresAtSeconds) * 1_000 > at.getTime();
}

/** What the replica shows of each transaction. */
class Known {
  readonly #byId = new Map<string, Transaction>();
  readonly #steps: ReadonlyMap<Place, Step[]>;
  readonly #remaining: ReadonlySet<Place>;
  readonly #naming = new Map<Place, Set<Transaction>>();
  readonly #deleting = new Map<Place, Transaction[]>();

  constructor(steps: ReadonlyMap<Place, Step[]>, remaining: ReadonlySet<Place>) {
    this.#steps = steps;
    this.#remaining = remaining;
    for (const [place, all] of steps)
      for (const [index, step] of all.entries()) this.#add(place, index, step);
    for (const one of this.transactions) this.#name(one);
    for (const [place, deleting] of this.#deleting) this.#assign(place, deleting);
  }

  get transactions(): Transaction[] {
    return [...this.#byId.values()];
  }

  #add(place: Place, index: number, { ids, at, after }: Step) {
    for (const id of ids) {
      const found = this.#byId.get(id);
      const since = found && found.since < at ? found.since : at;
      const one: Transaction = { seen: new Map(), ...found, id, since };
      one.seen.set(place, index);
      if (after?.[writtenWith] === id) one.all = readPlaces(after[writtenAll] as WrittenAll);
      this.#byId.set(id, one);
    }
  }

  #name(one: Transaction) {
    for (const place of this.allPlaces(one)) {
      const naming = this.#naming.get(place) ?? new Set();
      this.#naming.set(place, naming.add(one));
    }
    for (const place of one.all?.deleted ?? [])
      this.#deleting.set(place, [...(this.#deleting.get(place) ?? []), one]);
  }

  /** A deletion bears no name. Where several may be meant, the first one is taken for them all. */
  #assign(place: Place, deleting: readonly Transaction[]) {
    const all = this.#steps.get(place) ?? [];
    if (all.filter(isDeletion).length < deleting.length) return;
    const index = all.findIndex(isDeletion);
    for (const one of deleting) {
      one.seen.set(place, index);
      all[index]?.ids.push(one.id);
    }
  }

  allPlaces({ all, seen }: Transaction): Set<Place> {
    return new Set([...(all?.written ?? []), ...(all?.deleted ?? []), ...seen.keys()]);
  }

  byId(id: string): Transaction {
    return this.#byId.get(id) as Transaction;
  }

  /** That name the item, and are not seen there. */
  unseenAt(place: Place): Transaction[] {
    return [...(this.#naming.get(place) ?? [])].filter(({ seen }) => !seen.has(place));
  }

  isWhole({ id, all, seen }: Transaction): boolean {
    if (all === undefined) return readCount(id) === 1;
    return (
      all.written.every((place) => seen.has(place)) &&
      all.deleted.every((place) => seen.has(place) || this.#isGone(place))
    );
  }

  /** By the one transaction that deletes it, or it was never there. */
  #isGone(place: Place): boolean {
    const isThere = this.#steps.get(place)?.at(-1)?.after !== undefined || this.#remaining.has(place);
    return !isThere && this.#deleting.get(place)?.length === 1;
  }

  /** The first of an item's deletions of which one is of a transaction that is not seen at all. */
  unexplained(since: Date): [Place, number][] {
    return [...this.#steps].flatMap(([place, all]): [Place, number][] => {
      const late = all.filter((step) => isDeletion(step) && step.at >= since);
      const explained = this.#deleting.get(place)?.length ?? 0;
      const isExplained = all.filter(isDeletion).length <= explained || late.length === 0;
      return isExplained ? [] : [[place, all.indexOf(late[0] as Step)]];
    });
  }
}

const idLength = 12;
const readCount = (id: string) => Number(id.slice(idLength));

function readPlaces({ places, deleted = [] }: WrittenAll) {
  const count = places.length / placeLength;
  return {
    written: Array.from({ length: count }, (_, at) => places.slice(at * placeLength, (at + 1) * placeLength)),
    deleted: deleted.map(([table, pk, sk]) => toPlace(table, { pk, sk })),
  };
}

interface Seen {
  readonly steps: ReadonlyMap<Place, Step[]>;
  readonly since: Date;
}

/** Also undoes what was written upon an undone change. Returns from which change on, by item. */
function undo(torn: ReadonlySet<Transaction>, known: Known, { steps, since }: Seen) {
  const undone = new Set(torn);
  const from = new Map<Place, number>();
  const undoFrom = (place: Place, index: number) => {
    from.set(place, Math.min(index, from.get(place) ?? index));
    for (const { ids } of steps.get(place)?.slice(index) ?? [])
      for (const id of ids) undone.add(known.byId(id));
  };
  for (const [place, index] of known.unexplained(since)) undoFrom(place, index);
  // What is added meanwhile comes too.
  for (const one of undone) {
    for (const place of known.allPlaces(one)) {
      for (const other of known.unseenAt(place)) undone.add(other);
      // Where it is not seen, the first change that may hide it is undone.
      const index = one.seen.get(place) ?? steps.get(place)?.findIndex(({ hides }) => hides) ?? -1;
      if (index >= 0) undoFrom(place, index);
    }
  }
  return { undone, from };
}
