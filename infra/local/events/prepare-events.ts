import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { VirtualClock } from "../clock.ts";
import type { DynamoEngine } from "../engines/dynamo.ts";
import type { SqsEngine } from "../engines/sqs.ts";
import { stateFile } from "../files.ts";
import type { FunctionInvoker, Trace } from "../interfaces.ts";
import { localIdentity } from "../provision.ts";
import type { Assembly } from "../template.ts";
import { createEventBus, type EventBus } from "./event-bus.ts";
import { Activity } from "./invocations.ts";
import { QueueSource } from "./queue-source.ts";
import { openRecordReader } from "./record-reader.ts";
import { Schedules } from "./schedules.ts";
import { readSources } from "./source-properties.ts";
import { type StreamRecord, StreamSource } from "./stream-source.ts";

export interface EventsOptions {
  assembly: Assembly;
  dynamo: Pick<DynamoEngine, "endpoint" | "commitMarker" | "nextChange" | "readRecords">;
  sqs: SqsEngine;
  clock: VirtualClock;
  invoker: FunctionInvoker;
  trace: Trace;
  directory: string;
  observeRecords?: (records: readonly StreamRecord[]) => void;
}

export interface Events {
  bus: EventBus;
  settled(): Promise<void>;
  /** Starts to invoke functions. Until then, everything waits on disk. */
  start(): Promise<void>;
  /** Instead of `start`: only `drain` invokes functions, one by one in a fixed order. */
  startStepwise(): Promise<void>;
  /** Delivers until nothing is left that can be delivered now. */
  drain(): Promise<void>;
  /** Takes no new work and gives running batches a moment to finish. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 2_000;

/**
 * Prepares everything that invokes functions without a request. Throws for an unsupported template.
 */
export function prepareEvents(options: EventsOptions): Events {
  const { assembly, dynamo, sqs, clock, invoker, trace, directory, observeRecords } = options;
  const { commitMarker, nextChange, endpoint } = dynamo;
  const activity = new Activity();
  const parts = { assembly, engine: sqs, invoker, clock, activity, trace, commitMarker, nextChange };
  const bus = createEventBus(parts);
  const schedules = new Schedules({ ...parts, file: join(directory, "schedules.json") });
  const client = new DynamoDBStreamsClient({ ...localIdentity, region: assembly.region, endpoint });
  const readRecords = openRecordReader(endpoint, assembly.region, commitMarker, dynamo.readRecords);
  const sources = readSources(assembly);
  // One observer per stream is enough: the source that waits the least.
  const byWindow = sources.streams.toSorted((left, right) => right.windowMs - left.windowMs);
  const observed = new Map(byWindow.map((source) => [source.sourceArn, source]));
  const streams = sources.streams.map(
    (properties) =>
      new StreamSource({
        ...parts,
        properties,
        ...(observed.get(properties.sourceArn) === properties && { observe: observeRecords }),
        client,
        readRecords,
        checkpoint: stateFile(join(directory, "streams", `${properties.name}.json`)),
      }),
  );
  const queues = sources.queues.map((properties) => new QueueSource({ ...parts, properties }));
  clock.addPart({ nextDueAt: () => sqs.nextDueAt(), wake: () => sqs.wake() });
  const drain = () => drainAll(streams, queues, sqs);
  clock.settleWith(() => activity.settled());
  return {
    bus,
    settled: () => activity.settled(),
    start: async () => {
      await Promise.all(streams.map((stream) => stream.start()));
      for (const queue of queues) queue.start();
      schedules.start();
    },
    startStepwise: async () => {
      clock.settleWith(drain);
      for (const stream of streams) await stream.open();
      schedules.start();
    },
    drain,
    stop: async () => {
      schedules.stop();
      const stopped = Promise.allSettled([...streams, ...queues].map((source) => source.stop()));
      // Unfinished work is repeated at the next start.
      const timeout = new AbortController();
      await Promise.race([stopped, delay(stopTimeoutMs, undefined, timeout).catch(() => undefined)]);
      timeout.abort();
      client.destroy();
    },
  };
}

async function drainAll(
  streams: readonly StreamSource[],
  queues: readonly QueueSource[],
  engine: Pick<SqsEngine, "readyQueues">,
): Promise<void> {
  for (let isDrained = false; !isDrained; ) {
    isDrained = true;
    for (const stream of streams) {
      while (await stream.step()) isDrained = false;
    }
    // Nearly always none is ready: one question instead of one receive each.
    const ready = await engine.readyQueues();
    for (const queue of queues.filter((one) => ready.includes(one.queue))) {
      while (await queue.step()) isDrained = false;
    }
  }
}
