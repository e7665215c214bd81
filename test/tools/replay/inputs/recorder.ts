import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Recorder, TurnsPlan } from "../../../../infra/development/turns.ts";
import type { VirtualClock } from "../../../../infra/local/clock.ts";
import { InvocationRejected } from "../../../../infra/local/interfaces.ts";
import { Aliases } from "../turns/aliases.ts";
import { liveReceivers } from "../turns/outside.ts";
import type { Turns } from "../turns/turns.ts";
import { type InTurns, planTurns, type TurnsInputs } from "./in-turns.ts";
import {
  type Answered,
  failedInput,
  type Input,
  type InputParts,
  runInput,
  toRequestInput,
} from "./input.ts";
import { startIntake, takePresigned } from "./intake.ts";
import { type End, RecordingWriter, toRecorded } from "./recording-file.ts";

const tickMs = 1_000;

interface PlannedRecording extends TurnsInputs {
  file: string;
  origins: readonly string[];
}

/**
 * For the start of a platform whose inputs are recorded. Throws if the directory has data, since a
 * replay starts from an empty store.
 */
export function planRecording(file: string, directory: string, origins: readonly string[]): TurnsPlan {
  if (existsSync(join(directory, "dynamodb")))
    throw new Error(
      `A recording starts from an empty store, but ${directory} has data. Set LOCAL_DIR to a new directory`,
    );
  const encrypted = origins.find((origin) => !origin.startsWith("http:"));
  if (encrypted !== undefined)
    throw new Error(`A recording knows receivers of plain HTTP only, but LOCAL_RECEIVERS has ${encrypted}`);
  const seed = randomBytes(12).toString("base64url");
  const inputs = { seed, startedAt: Date.now(), receivers: liveReceivers(), aliases: new Aliases() };
  const { plan, started } = planTurns(inputs);
  const record = (stack: AsyncDisposableStack, onFailure?: (error: Error) => void) =>
    startRecorder({ ...inputs, file, origins }, started(), onFailure, stack);
  return { ...plan, record };
}

/** Records until the stack is disposed. */
async function startRecorder(
  plan: PlannedRecording,
  { turns, parts, clock, tables }: InTurns,
  onFailure: (error: Error) => void = console.error,
  stack: AsyncDisposableStack,
): Promise<Recorder> {
  const recorder = new InputRecorder(plan, { ...parts, turns, clock, onFailure });
  stack.defer(() => recorder.end(tables));
  const take = (input: Input) => recorder.take(input);
  const [functions, queues] = await Promise.all([
    startIntake("functions", take),
    startIntake("queues", take),
  ]);
  stack.defer(async () => void (await Promise.all([functions.stop(), queues.stop()])));
  return {
    invoker: {
      invoke: async (name, event) => {
        const { payload } = await take({ invocation: { name, event } });
        if (payload === undefined) throw new Error(`${name} was not invoked`);
        return payload;
      },
    },
    inTurn: async (request) => {
      const { http } = await take({ request: toRequestInput(request) });
      if (http === undefined) throw new Error("The request has no answer");
      return http;
    },
    clock: { now: () => clock.now(), advance: (ms) => recorder.advance(ms) },
    functions: {
      killNext: async () => {
        throw new InvocationRejected(
          "ResourceNotFoundException",
          "Nothing is killed while inputs are recorded",
        );
      },
    },
    functionsUrl: functions.url,
    queuesUrl: queues.url,
    presigned: takePresigned(take),
  };
}

/** Writes down each input with what it did. */
class InputRecorder {
  readonly #turns: Turns;
  readonly #parts: InputParts;
  readonly #clock: VirtualClock;
  readonly #aliases: Aliases;
  readonly #writer: RecordingWriter;
  readonly #fail: (error: Error) => void;
  readonly #ticks: NodeJS.Timeout;
  /** How far `POST /clock` has moved the time. */
  #movedMs = 0;
  #open = 0;
  #hasFailed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    { seed, startedAt, origins, aliases, file }: PlannedRecording,
    parts: InputParts & { turns: Turns; clock: VirtualClock; onFailure(error: Error): void },
  ) {
    this.#turns = parts.turns;
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#aliases = aliases;
    this.#fail = (error) => {
      this.#hasFailed = true;
      parts.onFailure(error);
    };
    this.#writer = new RecordingWriter(file, { seed, startedAt, receivers: [...origins] }, aliases);
    this.#ticks = setInterval(() => void this.#tick().catch(() => undefined), tickMs);
  }

  /** Callers wait for their turn, and get their answer before what they caused has run. */
  take(input: Input, movedMs = 0): Promise<Answered> {
    this.#open += 1;
    this.#movedMs += movedMs;
    let answered: Answered | undefined;
    const { answer, ended } = this.#turns.take(
      (now) => Math.max(now + 1, Date.now() + this.#movedMs),
      async ({ number, at }) => {
        this.#aliases.beginTurn(number);
        answered = await runInput(input, this.#parts, at);
        return answered;
      },
    );
    this.#last = ended
      .then((turn) => {
        this.#writer.write(toRecorded(input, turn, answered ?? failedInput));
        this.#aliases.learnAnswer(answered?.text ?? "");
      })
      .catch(this.#fail)
      .finally(() => {
        this.#open -= 1;
      });
    return answer;
  }

  /** Resolves when everything that fell due has run. */
  async advance(ms: number): Promise<void> {
    await this.take({ clock: "moves" }, ms);
    await this.#last;
  }

  /** A recording whose platform failed has no end. */
  async end(tables: () => Promise<End["tables"]>): Promise<void> {
    clearInterval(this.#ticks);
    await this.#last;
    if (!this.#hasFailed) this.#writer.end({ tables: await tables() });
  }

  /** While no input comes, what falls due needs one. */
  async #tick(): Promise<void> {
    if (this.#open > 0) return;
    const dueAt = await this.#clock.nextDueAt();
    if (this.#open === 0 && dueAt <= Date.now() + this.#movedMs) await this.take({ clock: "moves" });
  }
}
