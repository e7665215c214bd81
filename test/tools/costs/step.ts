import { table } from "../../../shared/platform/table/client.ts";
import { convertItems, packItem } from "../../../shared/platform/table/packed.ts";
import { measure } from "../../harness/measure.ts";
import { changedLists, entryBytes } from "./entry-bytes.ts";

/** Something that one function does once, made ready anew for each time that it is measured. */
export interface Step {
  readonly name: string;
  /** Gives the work, and answers what is sent back to the caller by it, if anything. */
  readonly prepare: () => Promise<() => Promise<unknown>>;
}

/** What a step takes. All but the time is the same on every machine. */
export interface Measured {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly roundTrips: number;
  /** Still stored a day later: all but what expires by then. */
  readonly dayBytes: number;
  /** Stored for good, with the entries of lists. */
  readonly keptBytes: number;
  /** Of those that expire, times the months until they do. */
  readonly expiringByteMonths: number;
  /** Changes of lists, each of which the indexer compacts: one row may have several. */
  readonly listChanges: number;
  /** The rows that it deletes later: the others expire. */
  readonly deletedChanges: number;
  /** What it answers, as JSON. */
  readonly answeredBytes: number;
  /** Lines of the function's log. */
  readonly logBytes: number;
  /** The first quartile of warm runs, engine included: other work slows the machine. */
  readonly milliseconds: number;
}

/** Measures each step so many times; all but the time is of the last. */
export async function measureEach(steps: readonly Step[], times: number): Promise<Record<string, Measured>> {
  const measured: Record<string, Measured> = {};
  for (const step of steps) measured[step.name] = await measureStep(step, times);
  return measured;
}

async function measureStep({ prepare }: Step, times: number): Promise<Measured> {
  const durations: number[] = [];
  let last: Omit<Measured, "milliseconds"> | undefined;
  for (let time = 0; time < times; time += 1) {
    const earlier = new Map<string, Item>();
    const prepared = noteWritten();
    const work = await prepare();
    for (const item of prepared.items) earlier.set(keyText(item), item);
    prepared[Symbol.dispose]();
    using written = noteWritten();
    const { result, cost } = await measure(async () => {
      const startedMs = performance.now();
      const answered = await work();
      durations.push(performance.now() - startedMs);
      return answered;
    });
    const { readUnits, writeUnits, roundTrips } = cost;
    const { items, logBytes } = written;
    last = {
      readUnits,
      writeUnits,
      roundTrips,
      ...(await stored(items, earlier)),
      answeredBytes: jsonBytes(result),
      logBytes,
    };
  }
  if (!last) throw new Error("The step was not measured.");
  const milliseconds = durations.toSorted((left, right) => left - right)[Math.floor(times / 4)] ?? Number.NaN;
  return { ...last, milliseconds: Math.round(milliseconds * 10) / 10 };
}

const monthSeconds = 2_628_000;
const daySeconds = 86_400;

type Stored = Pick<
  Measured,
  "dayBytes" | "keptBytes" | "expiringByteMonths" | "listChanges" | "deletedChanges"
>;

/** What these writes add to the tables: of an item that replaces another, the difference. */
async function stored(items: readonly Item[], earlier: ReadonlyMap<string, Item>): Promise<Stored> {
  const last = [...new Map(items.map((item) => [keyText(item), item])).values()];
  const bytes = (item: Item) => itemBytes(item) - itemBytes(earlier.get(keyText(item)));
  const sum = (some: readonly Item[]) => some.reduce((total, item) => total + bytes(item), 0);
  const seconds = ({ expiresAtSeconds = Number.POSITIVE_INFINITY }: Item) =>
    expiresAtSeconds - Date.now() / 1_000;
  const rows = last.filter(({ pk }) => /#(CHANGES|RIDING)#/.test(pk));
  const deleted = rows.filter(({ expiresAtSeconds }) => expiresAtSeconds === undefined);
  const changes = rows.flatMap((row) => changedLists({ ...row }));
  const kept = changes.filter(({ list }) => list.kind.retentionMs === undefined);
  const expiring = last.filter(({ expiresAtSeconds }) => expiresAtSeconds !== undefined);
  const keptItems = last.filter((item) => !expiring.includes(item) && !deleted.includes(item));
  const byteMonths = expiring.reduce(
    (total, item) => total + (bytes(item) * seconds(item)) / monthSeconds,
    0,
  );
  return {
    dayBytes: Math.round(
      sum(last.filter((item) => seconds(item) > daySeconds + 60)) + (await sumEntryBytes(changes)),
    ),
    keptBytes: Math.round(sum(keptItems) + (await sumEntryBytes(kept))),
    expiringByteMonths: Math.round(byteMonths / 100) * 100,
    listChanges: changes.length,
    deletedChanges: deleted.length,
  };
}

async function sumEntryBytes(changes: ReturnType<typeof changedLists>): Promise<number> {
  let total = 0;
  for (const change of changes) total += await entryBytes(change);
  return total;
}

/** DynamoDB adds this to each item that it stores. */
const overheadBytes = 100;

/** As DynamoDB counts them: names are part of an item. */
function itemBytes(item: Item | undefined): number {
  return item === undefined ? 0 : attributeBytes(item) + overheadBytes;
}

function attributeBytes(attributes: object): number {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

/** A number has two digits in a byte, and one byte more, a negative one two. */
function valueBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value === "number") {
    const digits = String(Math.abs(value)).replace(/\.|0+$/g, "");
    return Math.ceil(digits.length / 2) + (value < 0 ? 2 : 1);
  }
  if (typeof value !== "object" || value === null) return 1;
  const parts = Array.isArray(value) || value instanceof Set ? [...value] : undefined;
  // Lists and maps have three bytes more, and one for each part.
  return parts
    ? parts.reduce((sum, part) => sum + valueBytes(part) + 1, 3)
    : attributeBytes(value) + Object.keys(value).length + 3;
}

function keyText({ pk, sk }: Item): string {
  return `${pk} ${sk}`;
}

interface Item {
  readonly pk: string;
  readonly sk: string;
  readonly expiresAtSeconds?: number;
}

interface Written extends Disposable {
  readonly items: readonly Item[];
  readonly logBytes: number;
}

/** Until disposed of, records the writes to the tables and counts the bytes of the log. */
function noteWritten(): Written {
  const items: Item[] = [];
  let logBytes = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      items.push(...putItems(convertItems(args.input, packItem) as Puts));
      return answer;
    },
    { step: "initialize", name: "costs-puts" },
  );
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    logBytes += Buffer.byteLength(chunk);
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  return {
    items,
    get logBytes() {
      return logBytes;
    },
    [Symbol.dispose]: () => {
      stdout.write = write;
      table.middlewareStack.remove("costs-puts");
    },
  };
}

interface Put {
  readonly Item?: Item;
}
interface Puts extends Put {
  readonly TransactItems?: readonly { readonly Put?: Put }[];
  /** By table, in a batch of reads too. */
  readonly RequestItems?: Readonly<Record<string, unknown>>;
}

function putItems({ Item, TransactItems = [], RequestItems = {} }: Puts): readonly Item[] {
  const batches = Object.values(RequestItems).filter((batch) => Array.isArray(batch));
  const puts: (Put | undefined)[] = [
    ...TransactItems.map(({ Put }) => Put),
    ...batches.flat().map(({ PutRequest }) => PutRequest),
  ];
  return [Item, ...puts.map((put) => put?.Item)].filter((item) => item !== undefined);
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}
