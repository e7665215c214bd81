import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { VirtualClock } from "../clock.ts";
import type { DynamoEngine } from "../engines/dynamo.ts";
import type { SqsEngine } from "../engines/sqs.ts";
import type { Assembly, FunctionInvoker, Trace } from "../interfaces.ts";
import { LOCAL_IDENTITY } from "../provision/local-identity.ts";
import { StateFile } from "../state-file.ts";
import { Activity } from "./activity.ts";
import { AsyncInvocations } from "./async-invocations.ts";
import { EventBus } from "./event-bus.ts";
import { QueueSource } from "./queue-source.ts";
import { Schedules } from "./schedules.ts";
import { readSources } from "./source-properties.ts";
import { StreamSource } from "./stream-source.ts";

export interface EventsOptions {
  assembly: Assembly;
  dynamo: Pick<DynamoEngine, "endpoint" | "commitMarker">;
  sqs: SqsEngine;
  clock: VirtualClock;
  invoker: FunctionInvoker;
  trace: Trace;
  /** Keeps checkpoints and schedules between runs. */
  directory: string;
}

export interface Events {
  bus: EventBus;
  invocations: AsyncInvocations;
  /** Resolves when everything that was set in motion has come to rest. */
  settled(): Promise<void>;
  /** Begins to feed the functions. Before, everything that arrives waits on disk. */
  start(): Promise<void>;
  /** Takes no more, and lets running batches finish for a moment. */
  stop(): Promise<void>;
}

const STOP_PATIENCE_MS = 2_000;

/** Everything that makes functions run without a request. Errors: what the template asks for and nothing here can run. */
export function prepareEvents(options: EventsOptions): Events {
  const { assembly, dynamo, sqs, clock, invoker, trace, directory } = options;
  const activity = new Activity();
  const invocations = new AsyncInvocations({ assembly, engine: sqs, clock, activity, invoker, trace });
  const bus = new EventBus({ assembly, engine: sqs, invocations, clock, trace });
  const schedules = new Schedules({
    assembly,
    engine: sqs,
    invocations,
    clock,
    activity,
    trace,
    commitMarker: dynamo.commitMarker,
    file: join(directory, "schedules.json"),
  });
  const client = new DynamoDBStreamsClient({
    ...LOCAL_IDENTITY,
    region: assembly.region,
    endpoint: dynamo.endpoint,
  });
  const sources = readSources(assembly);
  const tellers = new Map(sources.streams.map((source) => [source.sourceArn, source]));
  const streams = sources.streams.map(
    (properties) =>
      new StreamSource({
        properties,
        tellsEntries: tellers.get(properties.sourceArn) === properties,
        assembly,
        client,
        commitMarker: dynamo.commitMarker,
        engine: sqs,
        invoker,
        clock,
        activity,
        trace,
        checkpoint: new StateFile(join(directory, "streams", `${properties.name}.json`)),
      }),
  );
  const queues = sources.queues.map(
    (properties) => new QueueSource({ properties, assembly, engine: sqs, invoker, activity, trace }),
  );
  clock.addPart({ nextDueAt: () => sqs.nextDueAt(), wake: () => sqs.wake() });
  clock.settleWith(() => activity.settled());
  return {
    bus,
    invocations,
    settled: () => activity.settled(),
    start: async () => {
      await invocations.start();
      await Promise.all(streams.map((stream) => stream.start()));
      for (const queue of queues) queue.start();
      schedules.start();
    },
    stop: async () => {
      schedules.stop();
      const stopped = Promise.allSettled([...streams, ...queues, invocations].map((source) => source.stop()));
      // What does not finish in time comes again at the next start.
      const patience = new AbortController();
      await Promise.race([stopped, delay(STOP_PATIENCE_MS, undefined, patience).catch(() => undefined)]);
      patience.abort();
      client.destroy();
    },
  };
}
