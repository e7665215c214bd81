import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { pause } from "../clock.ts";
import { environment } from "../environment.ts";
import { randomInteger } from "../id.ts";
import { convertItems } from "./attributes.ts";
import { fromStored, toStored } from "./packed.ts";
import { post } from "./post.ts";
import { findSigner } from "./sign.ts";

interface Command {
  readonly operation?: string;
  readonly input: object;
}

interface Arguments {
  readonly input: object;
  readonly request: { readonly headers: Record<string, string>; readonly body: Buffer };
}

interface Response {
  readonly statusCode: number;
  readonly headers: IncomingMessage["headers"];
  /** A stream where a fault was injected. */
  readonly body: Buffer | Readable;
}

interface Answer {
  readonly output: object;
  readonly response?: Response;
}

type Handler = (args: Arguments) => Promise<Answer>;
type Middleware = (next: Handler, context: { readonly commandName: string }) => Handler;
/** Around a call, before its request is written; once it is; around each of its attempts. */
const steps = ["initialize", "build", "deserialize"] as const;
interface Layer {
  readonly step: (typeof steps)[number];
  readonly name: string;
}

const contentType = "application/x-amz-json-1.0";
const attempts = 4;

/**
 * DynamoDB's client. The SDK's own takes three times the CPU for a call, and 6 MB and 60 ms for a
 * cold start. This one behaves like it: four attempts for throttling, timeouts and 5xx, under one
 * quota; the SDK's shapes and names of errors. `transact` retries cancelled transactions.
 */
class TableClient {
  #layers: (Layer & { readonly middleware: Middleware })[] = [];
  readonly #quota = new RetryQuota();

  /** Tests and measuring tools stand around calls with it, as with the SDK's clients. */
  readonly middlewareStack = {
    add: (middleware: Middleware, layer: Layer) => {
      if (!steps.includes(layer.step)) throw new Error(`There is no step ${layer.step}.`);
      this.#layers.push({ ...layer, middleware });
    },
    remove: (name: string): boolean => {
      const before = this.#layers.length;
      this.#layers = this.#layers.filter((layer) => layer.name !== name);
      return this.#layers.length < before;
    },
  };

  async send(command: Command): Promise<object> {
    const operation = command.operation ?? operationOf(command.constructor.name);
    const around = (step: Layer["step"], handler: Handler) => {
      const context = { commandName: `${operation}Command` };
      const layers = this.#layers.filter((layer) => layer.step === step);
      return layers.reduceRight((next, { middleware }) => middleware(next, context), handler);
    };
    const attempt = around("deserialize", async ({ request }) => ({
      output: {},
      response: await post(environment.dynamoEndpoint, request),
    }));
    const repeated = around("build", (args) => this.#repeat(operation, attempt, args));
    const whole = around("initialize", ({ input }) => {
      const body = Buffer.from(JSON.stringify(convertItems(input, toStored)));
      const headers = { "content-type": contentType, "x-amz-target": `DynamoDB_20120810.${operation}` };
      return repeated({ input, request: { headers, body } });
    });
    const request = { headers: {}, body: Buffer.alloc(0) };
    return (await whole({ input: command.input, request })).output;
  }

  async #repeat(operation: string, attempt: Handler, { input, request }: Arguments): Promise<Answer> {
    for (let count = 1; ; count += 1) {
      try {
        const sign = await findSigner();
        const headers = { ...request.headers, ...sign(environment.dynamoEndpoint, request) };
        const { response } = await attempt({ input, request: { ...request, headers } });
        if (!response) throw new Error("The call has no answer.");
        const output = await read(response, count);
        this.#quota.succeed();
        return { output, response };
      } catch (error) {
        const delayMs = count < attempts ? this.#quota.take(error, count) : undefined;
        if (delayMs === undefined) throw describe(error, operation, count);
        await pause(delayMs);
      }
    }
  }
}

const shortNames: Readonly<Record<string, string>> = {
  Get: "GetItem",
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  BatchGet: "BatchGetItem",
  BatchWrite: "BatchWriteItem",
  TransactGet: "TransactGetItems",
  TransactWrite: "TransactWriteItems",
};

/** A tool sends commands of the SDK. */
function operationOf(commandName: string): string {
  const name = commandName.replace(/Command$/, "");
  return shortNames[name] ?? name;
}

/** DynamoDB's error, by its name. */
class TableError extends Error {
  readonly $fault: "client" | "server";
  readonly $metadata: {
    readonly httpStatusCode: number;
    readonly requestId?: string;
    readonly attempts: number;
  };

  constructor(name: string, message: string, members: object, metadata: TableError["$metadata"]) {
    super(message);
    Object.assign(this, members);
    this.name = name;
    this.$fault = metadata.httpStatusCode < 500 ? "client" : "server";
    this.$metadata = metadata;
  }
}

/** @throws TableError */
async function read({ statusCode, headers, body }: Response, count: number): Promise<object> {
  const text = (Buffer.isBuffer(body) ? body : Buffer.concat(await body.toArray())).toString();
  if (statusCode === 200) return convertItems(JSON.parse(text), fromStored) as object;
  const { __type = "", message, Message, ...members } = parseError(text);
  const requestId = headers["x-amzn-requestid"]?.toString();
  const metadata = { httpStatusCode: statusCode, ...(requestId && { requestId }), attempts: count };
  const name = __type.replace(/^.*#/, "").replace(/:.*$/, "") || `Http${statusCode}`;
  throw new TableError(name, message ?? Message ?? name, members, metadata);
}

function parseError(text: string): { __type?: string; message?: string; Message?: string } {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's page, or nothing.
    return {};
  }
}

/** An error of the connection says, too, how often it was tried. */
function describe(error: unknown, operation: string, count: number): unknown {
  if (!(error instanceof Error) || error instanceof TableError) return error;
  return Object.assign(error, { operation, $metadata: { attempts: count } });
}

const throttling = new Set([
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionInProgressException",
]);
const transient = new Set(["TimeoutError", "RequestTimeout", "RequestTimeoutException"]);
const transientCodes = new Set([
  ...["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "EAI_AGAIN"],
]);
const transientStatuses = new Set([500, 502, 503, 504]);

const quotaSize = 500;
const longestDelayMs = 20_000;
/** What an attempt takes of the quota, and up to how long the first waits. */
const costs = { throttled: { cost: 5, delayMs: 1_000 }, transient: { cost: 14, delayMs: 25 } } as const;

/** Limits attempts of all calls together: a store that is down is not asked four times as often. */
class RetryQuota {
  #left = quotaSize;

  /** How long the next attempt waits; undefined if there is none. */
  take(error: unknown, count: number): number | undefined {
    const kind = kindOf(error);
    if (kind === undefined || this.#left < costs[kind].cost) return undefined;
    this.#left -= costs[kind].cost;
    return randomInteger(0, 1 + Math.min(longestDelayMs, costs[kind].delayMs * 2 ** (count - 1)));
  }

  succeed(): void {
    this.#left = Math.min(quotaSize, this.#left + 1);
  }
}

function kindOf(error: unknown): keyof typeof costs | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, code, $metadata } = error as Error & { code?: string } & Partial<TableError>;
  if (throttling.has(name) || $metadata?.httpStatusCode === 429) return "throttled";
  const isTransient = transient.has(name) || transientCodes.has(code ?? "");
  return isTransient || transientStatuses.has($metadata?.httpStatusCode ?? 0) ? "transient" : undefined;
}

/** Typed as the SDK's client, whose commands it takes. */
export const table = new TableClient() as unknown as Pick<DynamoDBDocumentClient, "send" | "middlewareStack">;
