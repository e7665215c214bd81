import { join } from "node:path";
import { AccessControl, recordUsedGrant } from "./access/access-control.ts";
import { toChecked } from "./access/checked-calls.ts";
import { serviceAddresses } from "./access/guard.ts";
import { readRules } from "./access/read-policies.ts";
import type { VirtualClock } from "./clock.ts";
import { openKeys } from "./endpoint/kms.ts";
import { openMailbox } from "./endpoint/mailbox.ts";
import { startObjectPort } from "./endpoint/object-port.ts";
import { type ObjectStore, openObjectStore } from "./endpoint/object-store.ts";
import { openSecrets } from "./endpoint/secrets.ts";
import { readUsagePlans, UsagePlans } from "./endpoint/usage-plans.ts";
import { type Events, type EventsOptions, prepareEvents } from "./events/prepare-events.ts";
import type { StreamRecord } from "./events/stream-source.ts";
import { stateFile } from "./files.ts";
import { FunctionRuntime } from "./function-runtime.ts";
import type { InvocationObserver, RepeatableThreads, SeededThread } from "./interfaces.ts";
import { provisionQueues, provisionTables } from "./provision.ts";
import { type Services, waitForAll } from "./start-services.ts";
import { type MemoryTrace, Metrics, memoryTrace } from "./telemetry.ts";
import type { Assembly } from "./template.ts";

export type { Assembly, Events, FunctionRuntime, MemoryTrace, Metrics, ObjectStore, StreamRecord };

/** What is emulated, before functions run. */
export interface Emulation {
  /** Keeps all state. */
  readonly directory: string;
  /** Stops everything. */
  readonly stack: AsyncDisposableStack;
  readonly clock: VirtualClock;
  readonly services: Services;
  readonly assembly: Assembly;
  readonly trace: MemoryTrace;
  readonly metrics: Metrics;
  readonly usage: UsagePlans;
}

/** Has all inputs run in turns, so that they can be recorded and replayed. */
export interface Turns {
  readonly startedAt: number;
  readonly queues: SeededThread;
  /** Before anything is drawn. */
  begin(stack: AsyncDisposableStack): Promise<RepeatableThreads>;
  /** Instead of the events' own start. */
  start(emulation: Emulation, functions: FunctionRuntime, events: Events): Promise<void>;
}

export interface FunctionsOptions {
  /** Further variables of all functions. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly observe?: InvocationObserver | undefined;
  readonly observeRecords: EventsOptions["observeRecords"];
  readonly turns: Turns | undefined;
}

type Given = Pick<Emulation, "directory" | "stack" | "clock" | "services" | "assembly">;

/** Gives the engines the template's tables and queues. */
export async function provision(given: Given): Promise<Emulation> {
  const { assembly, directory, clock, services } = given;
  await waitForAll([
    provisionTables(assembly, services.dynamo.endpoint),
    provisionQueues(assembly, services.sqs),
  ]);
  const usage = new UsagePlans(
    readUsagePlans(assembly),
    stateFile(join(directory, "usage-keys.json")),
    clock,
  );
  return { ...given, trace: memoryTrace(clock), metrics: new Metrics(), usage };
}

/** Runs the template's functions, with everything that they call and that calls them. */
export async function startFunctions(
  emulation: Emulation,
  { variables, observe, observeRecords, turns }: FunctionsOptions,
) {
  const { directory, stack, clock, trace, metrics, services, assembly, usage } = emulation;
  const inside = (name: string) => join(directory, name);
  const access = new AccessControl(readRules(assembly), trace, recordUsedGrant);
  const { region } = assembly;
  const { dynamo, sqs, aws } = services;
  const objectPort = await startObjectPort({ region, clock, check: (id, call) => access.check(id, call) });
  stack.defer(() => objectPort.stop());
  const order = await turns?.begin(stack);
  const functions = new FunctionRuntime({
    order,
    assembly,
    clock,
    trace,
    address: (value) => value.replaceAll(sqs.endpoint, toChecked(sqs.endpoint)),
    rules: access.rules,
    variables: { ...serviceAddresses(services), AWS_ENDPOINT_URL_S3: objectPort.url, ...variables },
    logDirectory: inside("logs"),
    metrics,
    observe,
  });
  stack.defer(() => functions.close());
  const parts = { assembly, dynamo, sqs, clock, invoker: functions, trace, observeRecords };
  const events = prepareEvents({ ...parts, directory: inside("events") });
  const { bus } = events;
  const secrets = openSecrets(assembly, inside("secrets.json"), clock);
  const keys = openKeys(assembly, inside("kms.json"));
  const mailbox = openMailbox(inside("mailbox"), clock);
  const objects = openObjectStore(assembly, inside("files"), bus, clock);
  objectPort.serve({ answer: objects.answer });
  const knows = (name: string) => functions.knows(name);
  aws.serve({ invoker: functions, knows, bus, secrets, keys, mailbox, usage, objects });
  stack.defer(() => events.stop());
  await (turns ? turns.start(emulation, functions, events) : events.start());
  return { functions, events, objects, objectPort };
}
