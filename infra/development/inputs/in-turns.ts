import type { VirtualClock } from "../../local/clock.ts";
import type { UsagePlans } from "../../local/endpoint/usage-plans.ts";
import type { Events } from "../../local/events/prepare-events.ts";
import type { FunctionSettings } from "../../local/execution-environment.ts";
import type { FunctionRuntime } from "../../local/function-runtime.ts";
import { prepareGateway } from "../../local/gateway/answer-request.ts";
import { beginSeededDraws } from "../../local/randomness.ts";
import type { Services } from "../../local/start-services.ts";
import type { Assembly } from "../../local/template.ts";
import type { Aliases } from "../../local/turns/aliases.ts";
import { type Outside, type Receivers, startOutside } from "../../local/turns/outside.ts";
import { Turns } from "../../local/turns/turns.ts";
import { WrittenRecords } from "../../local/turns/written.ts";
import type { InputParts } from "./input.ts";
import type { End } from "./recording-file.ts";
import { digestTables } from "./tables.ts";

/** What a platform needs before it starts so that its inputs can run in turns. */
export interface TurnsPlan {
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

/** Before anything is drawn. */
export async function prepareTurns(
  { seed, receivers, aliases }: TurnsPlan,
  stack: AsyncDisposableStack,
): Promise<NonNullable<FunctionSettings["order"]> & { outside: Outside }> {
  stack.defer(beginSeededDraws(`${seed}/start`));
  const outside = await startOutside(receivers, (text) => aliases.learnSent(text));
  stack.defer(() => outside.stop());
  return { seed, outside };
}

interface StartedParts {
  stack: AsyncDisposableStack;
  assembly: Assembly;
  clock: VirtualClock;
  services: Services;
  usage: UsagePlans;
  functions: FunctionRuntime;
}

/** Instead of the events' own start. */
export async function startTurns(
  { seed }: TurnsPlan,
  outside: Outside,
  { drain, startStepwise }: Events,
  { stack, assembly, clock, services, usage, functions }: StartedParts,
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
