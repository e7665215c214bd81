import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { VirtualClock } from "../clock.ts";
import { type DynamoEngine, startDynamo } from "../engines/dynamo.ts";
import { type SqsEngine, startSqs } from "../engines/sqs.ts";
import { type Events, prepareEvents } from "../events/prepare-events.ts";
import { type FunctionInvoker, InvocationRejected } from "../interfaces.ts";
import { provisionQueues, provisionTables } from "../provision.ts";
import { type MemoryTrace, memoryTrace } from "../telemetry.ts";
import type { Assembly } from "../template.ts";
import { ACCOUNT, REGION } from "./given-template.ts";

export const client = { region: REGION, credentials: { accessKeyId: "local", secretAccessKey: "local" } };

/** A function of the template, as the test plays it. Throwing is failing. */
export type Played = (event: Record<string, unknown>) => unknown;

export interface Services {
  directory: string;
  clock: VirtualClock;
  dynamo: DynamoEngine;
  sqs: SqsEngine;
  events: Events;
  trace: MemoryTrace;
  invoker: FunctionInvoker;
  tableClient: DynamoDBClient;
  queueClient: SQSClient;
  queueUrl(name: string): string;
  /** The bodies that a queue holds now, ready or not. */
  bodies(queue: string): Promise<string[]>;
  stop(options?: { keep?: boolean }): Promise<void>;
}

export interface ServicesOptions {
  template: Assembly;
  functions?: Record<string, Played>;
  /** Of an earlier run. */
  directory?: string;
  dynamoChoice?: string;
  /** What the event sources see of the engine, instead of all. */
  watched?: (engine: DynamoEngine) => DynamoEngine;
}

/** Both engines and all services; the test implements the functions. */
export async function givenServices({
  template,
  functions = {},
  directory = mkdtempSync(join(tmpdir(), "services-")),
  dynamoChoice = "dynoxide",
  watched = (engine) => engine,
}: ServicesOptions): Promise<Services> {
  const clock = new VirtualClock(join(directory, "clock.json"));
  const [dynamo, sqs] = await Promise.all([
    startDynamo({ directory, choice: dynamoChoice }),
    startSqs({ directory: join(directory, "sqs"), clock }),
  ]);
  await Promise.all([provisionTables(template, dynamo.endpoint), provisionQueues(template, sqs)]);
  const trace = memoryTrace(clock);
  const invoker: FunctionInvoker = {
    invoke: async (nameOrArn, event) => {
      const run = functions[nameOrArn.split(":").at(-1) ?? ""];
      if (run === undefined)
        throw new InvocationRejected("ResourceNotFoundException", `Function not found: ${nameOrArn}`);
      try {
        return { payload: await run(JSON.parse(JSON.stringify(event))) };
      } catch (error) {
        if (error instanceof InvocationRejected) throw error;
        return { payload: { errorMessage: String(error) }, functionError: "Unhandled" };
      }
    },
  };
  let events: Events;
  try {
    events = prepareEvents({
      assembly: template,
      dynamo: watched(dynamo),
      sqs,
      clock,
      invoker,
      trace,
      directory,
    });
    await events.start();
  } catch (error) {
    await Promise.all([dynamo.stop(), sqs.stop()]);
    throw error;
  }
  const queueClient = new SQSClient({ ...client, endpoint: sqs.endpoint });
  const tableClient = new DynamoDBClient({ ...client, endpoint: dynamo.endpoint });
  return {
    directory,
    clock,
    dynamo,
    sqs,
    events,
    trace,
    invoker,
    tableClient,
    queueClient,
    queueUrl: (name) => `${sqs.endpoint}/${ACCOUNT}/${name}`,
    bodies: async (queue) => {
      using database = new DatabaseSync(join(directory, "sqs/fauxqs.db"), { readOnly: true });
      const rows = database.prepare("SELECT body FROM sqs_messages WHERE queue_name = ? ORDER BY rowid");
      return rows.all(queue).map(({ body }) => String(body));
    },
    stop: async ({ keep = false } = {}) => {
      clock.stop();
      await events.stop();
      queueClient.destroy();
      tableClient.destroy();
      await Promise.all([dynamo.stop(), sqs.stop()]);
      if (!keep) rmSync(directory, { recursive: true, force: true });
    },
  };
}
