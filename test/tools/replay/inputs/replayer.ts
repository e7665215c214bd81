import { type PlatformOptions, prepare, startFunctions } from "../../../../infra/development/prepare.ts";
import { Aliases } from "../turns/aliases.ts";
import { recordedReceivers } from "../turns/outside.ts";
import type { Turn } from "../turns/turns.ts";
import { splitDigests, type Write } from "../turns/written.ts";
import { type InTurns, planTurns, type TurnsInputs } from "./in-turns.ts";
import { type Answered, failedInput, type Input, runInput } from "./input.ts";
import {
  type RecordedTurn,
  type Recording,
  RecordingWriter,
  type TableDigest,
  toRecorded,
} from "./recording-file.ts";

export interface ReplayOptions extends Pick<PlatformOptions, "directory" | "dynamodb" | "signal" | "say"> {
  /** How many inputs; by default all, after which the tables are compared. */
  inputs?: number;
  /** Does not compare, but records the same inputs with what this version writes. */
  record?: string | undefined;
  /** Called after each input. */
  done?(number: number, writes: readonly Write[]): void;
}

export interface Replayed {
  inputs: number;
  writes: number;
  /** Undefined if nothing differs. */
  difference: string | undefined;
  tables: Record<string, TableDigest>;
  /** Secrets that the platform has drawn. */
  secrets: string[];
}

/** Feeds the inputs to an empty platform until something differs from the recording. */
export async function replayInputs(recording: Recording, options: ReplayOptions): Promise<Replayed> {
  const { header, inputs: recorded, end } = recording;
  const { inputs = recorded, done, record } = options;
  const aliases = new Aliases();
  const receivers = recordedReceivers();
  const { seed, startedAt } = header;
  const target = await startReplayTarget(
    { ...options, port: 0, receivers: header.receivers },
    { seed, startedAt, receivers, aliases },
  );
  const writer = record === undefined ? undefined : new RecordingWriter(record, header, aliases);
  try {
    let writes = 0;
    let difference: string | undefined;
    let number = 0;
    while (difference === undefined && number < inputs) {
      options.signal?.throwIfAborted();
      number += 1;
      const expected = recording.read(number, aliases);
      receivers.expect(expected.outside);
      const { turn, answered } = await runTurn(target, expected, aliases);
      writes += turn.writes.length;
      done?.(number, turn.writes);
      if (writer === undefined) difference = compareTurn(expected, turn, answered.outcome, receivers.left());
      else writer.write(toRecorded(expected.input, turn, answered));
      aliases.learnAnswer(answered.text);
    }
    const tables = await target.tables();
    if (writer !== undefined) writer.end({ tables });
    else if (difference === undefined && inputs === recorded) difference = compareTables(end?.tables, tables);
    return { inputs: number, writes, difference, tables, secrets: aliases.secrets };
  } finally {
    await target.stop();
  }
}

/** A platform that only a replay calls: without servers and demo Tenant. */
async function startReplayTarget(options: PlatformOptions, inputs: TurnsInputs) {
  const { plan, started } = planTurns(inputs);
  const stack = new AsyncDisposableStack();
  try {
    await startFunctions(await prepare({ ...options, turns: plan }, stack));
    const stop = stack.move();
    return { ...started(), stop: () => stop.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function runTurn(
  { turns, parts }: InTurns,
  { at, input }: Pick<RecordedTurn, "at"> & { input: Input },
  aliases: Aliases,
): Promise<{ turn: Turn; answered: Pick<Answered, "outcome" | "text"> }> {
  const { answer, ended } = turns.take(
    () => at,
    ({ number }) => {
      aliases.beginTurn(number);
      return runInput(input, parts, at);
    },
  );
  const [answered, turn] = await Promise.allSettled([answer, ended]);
  if (turn.status === "rejected") throw turn.reason;
  if (answered.status === "rejected") return { turn: turn.value, answered: failedInput };
  return { turn: turn.value, answered: answered.value };
}

/** Describes the first difference. */
function compareTurn(
  expected: RecordedTurn & { input: Input },
  turn: Turn,
  answered: string,
  unasked: number,
): string | undefined {
  const input = `input ${turn.number} (${describe(expected.input)}, at ${new Date(turn.at).toISOString()})`;
  const digests = splitDigests(expected.writes ?? "");
  const index = turn.writes.findIndex(({ digest }, place) => digest !== digests[place]);
  const write = turn.writes[index];
  if (write !== undefined) {
    const { table, key, item } = write;
    const what = item === undefined ? "was deleted" : "was written";
    return `The first record that differs: "${key}" of ${table}, which ${what} as number ${index + 1} of ${input}`;
  }
  if (turn.writes.length < digests.length)
    return `The first record that differs is missing: ${input} wrote ${turn.writes.length} records, but ${digests.length} in the recording`;
  if (answered !== expected.answered)
    return `No record differs yet, but ${input} was answered with ${answered}, and with ${expected.answered} in the recording`;
  if (turn.outside.length !== (expected.outside ?? []).length || unasked > 0)
    return `No record differs yet, but ${input} called ${turn.outside.length} receivers, and ${expected.outside?.length ?? 0} in the recording`;
  return undefined;
}

function compareTables(
  expected: Record<string, TableDigest> | undefined,
  tables: Record<string, TableDigest>,
): string | undefined {
  if (expected === undefined)
    return "The recording has no end: its platform was killed. Its inputs agree; --inputs <number> leaves out the rest";
  const names = new Set([...Object.keys(expected), ...Object.keys(tables)]);
  for (const name of names) {
    const [then, now] = [expected[name], tables[name]];
    // A table that came later, and that nothing wrote to, is no difference.
    if (then?.digest === now?.digest || (!then && now?.records === 0)) continue;
    return `All writes agree, but table ${name} has ${now?.records ?? "no"} records that differ from the ${then?.records ?? "no"} of the recording`;
  }
  return undefined;
}

function describe(input: Input): string {
  if ("request" in input) return `${input.request.method} ${input.request.path}`;
  if ("call" in input) return `call of ${input.call.service}`;
  if ("clock" in input) return "the clock moves";
  return `invocation of ${input.invocation.name}`;
}
