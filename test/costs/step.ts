import { table } from "../../shared/platform/table/client.ts";
import { measure } from "../harness/measure.ts";

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
  /** Stored permanently, as JSON: about the size in the table. */
  readonly keptBytes: number;
  /** Of those that expire, times the months until they do. */
  readonly expiringByteMonths: number;
  /** Changes of lists, each of which the indexer takes in and removes. */
  readonly listChanges: number;
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
    const work = await prepare();
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
      ...stored(items),
      answeredBytes: jsonBytes(result),
      logBytes,
    };
  }
  if (!last) throw new Error("The step was not measured.");
  const milliseconds = durations.toSorted((left, right) => left - right)[Math.floor(times / 4)] ?? Number.NaN;
  return { ...last, milliseconds: Math.round(milliseconds * 10) / 10 };
}

const monthSeconds = 2_628_000;

function stored(items: readonly Item[]): Pick<Measured, "keptBytes" | "expiringByteMonths" | "listChanges"> {
  const changes = items.filter(({ pk }) => pk.includes("#CHANGES#"));
  // A notification is stored in the change of its list.
  const records = items.filter((item) => !changes.includes(item) || item.expiresAtSeconds !== undefined);
  const months = ({ expiresAtSeconds = 0 }: Item) => (expiresAtSeconds - Date.now() / 1_000) / monthSeconds;
  const expiring = records.filter(({ expiresAtSeconds }) => expiresAtSeconds !== undefined);
  const kept = records.filter((item) => !expiring.includes(item));
  const byteMonths = expiring.reduce((sum, item) => sum + jsonBytes(item) * months(item), 0);
  return {
    keptBytes: kept.reduce((sum, item) => sum + jsonBytes(item), 0),
    expiringByteMonths: Math.round(byteMonths / 100) * 100,
    listChanges: changes.length,
  };
}

interface Item {
  readonly pk: string;
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
      items.push(...putItems(args.input as Puts));
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

interface Puts {
  readonly Item?: Item;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item?: Item } }[];
}

function putItems({ Item, TransactItems = [] }: Puts): readonly Item[] {
  return [Item, ...TransactItems.map(({ Put }) => Put?.Item)].filter((item) => item !== undefined);
}

function jsonBytes(value: unknown): number {
  const toText = (_: string, part: unknown) =>
    part instanceof Uint8Array ? Buffer.from(part).toString("base64") : part;
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value, toText));
}
