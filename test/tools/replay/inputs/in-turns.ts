import type { TurnsPlan } from "../../../../infra/development/turns.ts";
import type { VirtualClock } from "../../../../infra/local/clock.ts";
import { prepareGateway } from "../../../../infra/local/gateway/answer-request.ts";
import type { Emulation, Events, FunctionRuntime } from "../../../../infra/local/start-functions.ts";
import type { Aliases } from "../turns/aliases.ts";
import { beginSeededDraws } from "../turns/drawn.ts";
import { type Outside, type Receivers, startOutside } from "../turns/outside.ts";
import { Turns } from "../turns/turns.ts";
import { WrittenRecords } from "../turns/written.ts";
import type { InputParts } from "./input.ts";
import type { End } from "./recording-file.ts";
import { digestTables } from "./tables.ts";

/** What a platform needs before it starts so that its inputs can run in turns. */
export interface TurnsInputs {
  seed: string;
  startedAt: number;
  receivers: Receivers;
  aliases: Aliases;
}

/** A platform whose inputs run in turns. */
export interface InTurns {
  turns: Turns;
  parts: InputParts;
  clock: VirtualClock;
  tables(): Promise<End["tables"]>;
}

const moduleUrl = (name: string) => new URL(`../turns/${name}.ts`, import.meta.url).href;

/** `started` is for after the platform's start. */
export function planTurns({ seed, startedAt, receivers, aliases }: TurnsInputs) {
  let outside: Outside | undefined;
  let inTurns: InTurns | undefined;
  const plan = {
    startedAt,
    queues: { module: moduleUrl("seeded-thread"), seed },
    begin: async (stack) => {
      stack.defer(beginSeededDraws(`${seed}/start`));
      const opened = await startOutside(receivers, (text) => aliases.learnSent(text));
      outside = opened;
      stack.defer(() => opened.stop());
      return { module: moduleUrl("orderly-thread"), seed, openPort: opened.openPort };
    },
    start: async (emulation, functions, events) => {
      if (outside === undefined) throw new Error("The turns have not begun");
      inTurns = await startTurns(seed, outside, events, { ...emulation, functions });
    },
  } satisfies TurnsPlan;
  const started = () => {
    if (inTurns === undefined) throw new Error("The platform has no turns");
    return inTurns;
  };
  return { plan, started };
}

async function startTurns(
  seed: string,
  outside: Outside,
  { drain, startStepwise }: Events,
  { stack, assembly, clock, services, usage, functions }: Emulation & { functions: FunctionRuntime },
): Promise<InTurns> {
  const { dynamo, sqs, aws } = services;
  const written = new WrittenRecords(assembly, dynamo);
  stack.defer(() => written.close());
  await written.open();
  await startStepwise();
  return {
    turns: new Turns({ seed, clock, outside, written, drain }),
    parts: {
      gateway: prepareGateway({ assembly, invoker: functions, clock, usage }),
      functions,
      endpoints: { queues: sqs.endpoint, functions: aws.endpoint, objects: aws.endpoint },
    },
    clock,
    tables: () => digestTables(assembly, dynamo.endpoint),
  };
}
