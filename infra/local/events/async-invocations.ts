import { z } from "zod";
import type { OutgoingMessage, ReceivedMessage, SqsEngine } from "../engines/sqs.ts";
import type { Assembly, Clock, FunctionInvoker, InvokeResult, Trace } from "../interfaces.ts";
import { InvocationRefused } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import type { Activity } from "./activity.ts";
import { invokeWithRoom } from "./invoke-with-room.ts";

const InvokeConfigProperties = z.object({
  FunctionName: z.string(),
  Qualifier: z.literal("$LATEST").optional(),
  MaximumEventAgeInSeconds: z.number().default(21_600),
  MaximumRetryAttempts: z.number().default(2),
  DestinationConfig: z
    .strictObject({ OnFailure: z.strictObject({ Destination: z.string() }).optional() })
    .default({}),
});

const DeadLetterProperties = z.object({
  DeadLetterConfig: z.strictObject({ TargetArn: z.string() }).optional(),
});

interface Rules {
  maximumAgeMs: number;
  maximumRetries: number;
  failureQueue?: string;
  deadLetterQueue?: string;
}

interface Accepted {
  functionArn: string;
  event: unknown;
  /** Failed attempts before the message was written. */
  failures: number;
}

export interface AsyncInvocationsOptions {
  assembly: Assembly;
  engine: SqsEngine;
  clock: Pick<Clock, "now">;
  activity: Activity;
  invoker: FunctionInvoker;
  trace: Trace;
}

const QUEUE = "local-async-invocations";
const AT_ONCE = 10;
const LONGEST_RUN_SECONDS = 960;

/**
 * Lambda's asynchronous invocation: accepted means on disk. A queue of the engine holds what is accepted, and its delays
 * are the waits between attempts: one and two minutes of the virtual clock.
 */
export class AsyncInvocations {
  readonly #options: AsyncInvocationsOptions;
  readonly #rules = new Map<string, Rules>();
  #loop: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: AsyncInvocationsOptions) {
    this.#options = options;
    const { assembly } = options;
    for (const fn of assembly.ofType("AWS::Lambda::Function")) {
      const { DeadLetterConfig } = readProperties(fn, DeadLetterProperties);
      const config = assembly
        .ofType("AWS::Lambda::EventInvokeConfig")
        .map((resource) => readProperties(resource, InvokeConfigProperties))
        .find(({ FunctionName }) => FunctionName === fn.physicalName || FunctionName === fn.arn);
      this.#rules.set(fn.arn, {
        maximumAgeMs: (config?.MaximumEventAgeInSeconds ?? 21_600) * 1000,
        maximumRetries: config?.MaximumRetryAttempts ?? 2,
        failureQueue: queueName(assembly, config?.DestinationConfig.OnFailure?.Destination),
        deadLetterQueue: queueName(assembly, DeadLetterConfig?.TargetArn),
      });
    }
  }

  async start(): Promise<void> {
    const { engine, activity, assembly } = this.#options;
    const arn = `arn:aws:sqs:${assembly.region}:${assembly.account}:${QUEUE}`;
    const attributes = { VisibilityTimeout: String(LONGEST_RUN_SECONDS) };
    await engine.declareQueue({
      name: QUEUE,
      url: `${engine.endpoint}/${assembly.account}/${QUEUE}`,
      arn,
      attributes,
    });
    activity.addPending(QUEUE, async () => (await engine.readyCount(QUEUE)) > 0);
    this.#loop = this.#run().catch((error) => this.#report(error));
  }

  /** Resolves once the event is on disk; the function runs afterwards. Errors: there is no such function. */
  async accept(functionArn: string, event: unknown): Promise<void> {
    this.#rulesOf(functionArn);
    await this.#write({ functionArn, event, failures: 0 });
  }

  /** Runs the function now, and leaves only the repetitions of a failed run to later. Spares a schedule the queue. */
  async run(functionArn: string, event: unknown): Promise<InvokeResult> {
    const result = await invokeWithRoom(this.#options.invoker, functionArn, event);
    if (result.functionError === undefined) return result;
    if (this.#rulesOf(functionArn).maximumRetries === 0) {
      await this.#giveUp(functionArn, event, 1, "RetriesExhausted", result);
    } else {
      await this.#write({ functionArn, event, failures: 1 }, retryDelaySeconds(1));
    }
    return result;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#options.engine.cancelReceives();
    await this.#loop;
  }

  async #write(accepted: Accepted, delaySeconds = 0): Promise<void> {
    await this.#options.engine.send(QUEUE, { body: JSON.stringify(accepted), delaySeconds });
  }

  /** While everything ends, an engine that is gone is no news. */
  #report(error: unknown): void {
    if (!this.#stopping) console.error(error);
  }

  async #run(): Promise<void> {
    const { engine, activity } = this.#options;
    const running = new Set<Promise<void>>();
    while (!this.#stopping) {
      const messages = await engine.receive(QUEUE, AT_ONCE, 20);
      for (const message of messages) {
        const handled = activity
          .track(QUEUE, () => this.#handle(message))
          .catch((error) => this.#report(error));
        running.add(handled);
        void handled.then(() => running.delete(handled));
      }
      if (running.size >= AT_ONCE) await Promise.race(running);
    }
    await Promise.all(running);
  }

  async #handle(message: ReceivedMessage): Promise<void> {
    const { engine, clock } = this.#options;
    const { functionArn, event, failures }: Accepted = JSON.parse(message.body);
    const rules = this.#rules.get(functionArn);
    // The function went with a change of the template.
    if (rules === undefined) return engine.deleteMessages(QUEUE, [message.receiptHandle]);
    const attempt = failures + message.receiveCount;
    const result = await invokeWithRoom(this.#options.invoker, functionArn, event);
    if (result.functionError !== undefined) {
      const delayMs = retryDelaySeconds(attempt) * 1000;
      const tooOld = clock.now() + delayMs - message.sentAt > rules.maximumAgeMs;
      if (attempt <= rules.maximumRetries && !tooOld) {
        return engine.changeVisibility(QUEUE, message.receiptHandle, delayMs / 1000);
      }
      await this.#giveUp(
        functionArn,
        event,
        attempt,
        tooOld ? "EventAgeExceeded" : "RetriesExhausted",
        result,
      );
    }
    await engine.deleteMessages(QUEUE, [message.receiptHandle]);
  }

  async #giveUp(
    functionArn: string,
    event: unknown,
    attempts: number,
    condition: "RetriesExhausted" | "EventAgeExceeded",
    result: InvokeResult,
  ): Promise<void> {
    const { engine, clock, trace } = this.#options;
    const { failureQueue, deadLetterQueue } = this.#rulesOf(functionArn);
    trace.record({ kind: "invocation", name: functionArn, detail: { outcome: condition, attempts } });
    const requestId = crypto.randomUUID();
    if (failureQueue !== undefined) {
      const record = {
        version: "1.0",
        timestamp: new Date(clock.now()).toISOString(),
        requestContext: {
          requestId,
          functionArn: `${functionArn}:$LATEST`,
          condition,
          approximateInvokeCount: attempts,
        },
        requestPayload: event,
        responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: result.functionError },
        responsePayload: result.payload,
      };
      await engine.send(failureQueue, { body: JSON.stringify(record) });
    }
    if (deadLetterQueue !== undefined) {
      const attributes: OutgoingMessage["attributes"] = {
        RequestID: { DataType: "String", StringValue: requestId },
        ErrorCode: { DataType: "Number", StringValue: "200" },
      };
      await engine.send(deadLetterQueue, { body: JSON.stringify(event), attributes });
    }
  }

  #rulesOf(functionArn: string): Rules {
    const rules = this.#rules.get(functionArn);
    if (rules === undefined) {
      throw new InvocationRefused("ResourceNotFoundException", `Function not found: ${functionArn}`);
    }
    return rules;
  }
}

function retryDelaySeconds(attempt: number): number {
  return attempt === 1 ? 60 : 120;
}

/** The name of the template's queue with this ARN. Errors: the ARN is of something else. */
export function queueName(assembly: Assembly, arn: string): string;
export function queueName(assembly: Assembly, arn: string | undefined): string | undefined;
export function queueName(assembly: Assembly, arn: string | undefined): string | undefined {
  if (arn === undefined) return undefined;
  const resource = assembly.byArn(arn);
  if (resource?.type !== "AWS::SQS::Queue") throw new Error(`${arn} is no queue of the template`);
  return resource.physicalName;
}
