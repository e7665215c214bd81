import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import * as sdk from "@aws-sdk/client-dynamodb";
import { attributesFromJson, table } from "../../../shared/platform/table/client.ts";
import type { OwnEngine } from "./engine.ts";
import { EngineError } from "./engine-error.ts";

interface Args {
  readonly input: object;
  readonly request?: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> };
}

interface Answered {
  /** What the engine refuses, or what a test answers with in its place, as HTTP. */
  readonly response?: { readonly error: Error } | { readonly statusCode: number; readonly body: Readable };
  readonly output: object;
}

type Handler = (args: Args) => Promise<Answered>;
type Middleware = (next: Handler, context: { readonly commandName: string }) => Handler;

interface Entry {
  readonly step?: string;
  readonly priority?: string;
  readonly name?: string;
}

interface Command {
  readonly clientCommand: { readonly input: object };
}

const stack = table.middlewareStack as unknown as {
  add(middleware: Middleware, entry: Entry): void;
  remove(name: string): boolean;
  applyToStack(other: { add: typeof stack.add; addRelativeTo(): void }): void;
};

function entries(): (Entry & { readonly middleware: Middleware })[] {
  const all: (Entry & { readonly middleware: Middleware })[] = [];
  const add = (middleware: Middleware, entry: Entry) => void all.push({ ...entry, middleware });
  stack.applyToStack({ add, addRelativeTo: () => undefined });
  return all;
}

/** Those around a call, outermost first. */
let around: readonly Middleware[] = [];
/** Those of tests that see each attempt of a call as it is sent, within the SDK's own retries. */
let onWire: readonly Middleware[] = [];
/** What each call has between its input and the wire, of the SDK and of light-client.ts. */
let ofEach: ReadonlySet<string | undefined> = new Set();
let giveBackRetries = () => {};

function look(): void {
  const all = entries();
  const isOfInput = ({ step = "initialize" }: Entry) => step === "initialize";
  const weight = ({ priority }: Entry) => (priority === "high" ? 0 : priority === "low" ? 2 : 1);
  const inOrder = all.filter(isOfInput).toSorted((left, right) => weight(left) - weight(right));
  around = inOrder.map(({ middleware }) => middleware);
  const sent = all.filter((entry) => !isOfInput(entry) && !ofEach.has(entry.name));
  const retries = all.filter(({ name }) => name === "retryMiddleware");
  const isRetried = sent.length > 0;
  onWire = [...(isRetried ? retries : []), { middleware: read }, ...sent].map(({ middleware }) => middleware);
  // As the successes of later calls would: otherwise a process ends with no retries left.
  if (!isRetried) giveBackRetries();
}

/**
 * The table's calls go to this engine with their input. The SDK's way of them, by HTTP and back,
 * takes most of the time of a test of functions. Proofs and test/system go it, to an engine of
 * its own process.
 */
export async function callDirectly(engine: OwnEngine): Promise<void> {
  const strategy = (await table.config.retryStrategy()) as { recordSuccess(token: object): void };
  giveBackRetries = () => strategy.recordSuccess({ getRetryCost: () => Number.POSITIVE_INFINITY });
  ofEach = new Set(entries().map(({ name }) => name));
  for (const change of ["add", "remove"] as const) {
    const changed = stack[change] as (...given: unknown[]) => unknown;
    Object.assign(stack, {
      [change]: (...given: unknown[]) => {
        const result = changed(...given);
        look();
        return result;
      },
    });
  }
  look();
  const sendDirectly = async (command: Command) => {
    const context = { commandName: command.clientCommand.constructor.name };
    const operation = context.commandName.replace(/Command$/, "");
    const call: Handler = ({ input }) => execute(engine, operation, input);
    const attempts: Handler = ({ input }) =>
      within(onWire, call, context)({ input, request: requestOf(operation, input) });
    const handler = within(around, attempts, context);
    return (await handler({ input: command.clientCommand.input })).output;
  };
  table.send = sendDirectly as unknown as typeof table.send;
}

function within(
  all: readonly Middleware[],
  call: Handler,
  context: { readonly commandName: string },
): Handler {
  return all.reduceRight((next, middleware) => middleware(next, context), call);
}

function requestOf(operation: string, input: object): Args["request"] {
  return {
    get body() {
      return Buffer.from(JSON.stringify(input));
    },
    headers: { "x-amz-target": `DynamoDB_20120810.${operation}` },
  };
}

const metadata = (httpStatusCode: number) => ({ httpStatusCode, attempts: 1, totalRetryDelay: 0 });

/** Other work of the process comes between a call and its answer, as between calls of an engine. */
async function execute(engine: OwnEngine, operation: string, input: object): Promise<Answered> {
  await setImmediate();
  try {
    return { output: { ...engine.execute(operation, input), $metadata: metadata(200) } };
  } catch (error) {
    if (!isOfEngine(error)) throw error;
    return { response: { error: toException(error, 400) }, output: {} };
  }
}

/** Throws what is no success, as the SDK does when it has read an answer. */
function read(next: Handler): Handler {
  return async (args) => {
    const answered = await next(args);
    const { response } = answered;
    if (!response) return answered;
    if ("error" in response) throw response.error;
    const { statusCode, body } = response;
    const { __type: type, message, ...members } = JSON.parse(Buffer.concat(await body.toArray()).toString());
    throw toException(new EngineError(type.split("#")[1], message, members), statusCode);
  };
}

/** Not by its class: after a reset of modules, the process's engine has the one before. */
function isOfEngine(error: unknown): error is EngineError {
  return error instanceof Error && "members" in error;
}

type Exception = new (given: object) => Error;

/** As the SDK's own, whose items have bytes and not their base64. */
function toException({ name, message, members }: EngineError, statusCode: number): Error {
  const { CancellationReasons: reasons } = members;
  const items = reasons
    ? { CancellationReasons: (reasons as readonly Failed[]).map(withBytes) }
    : withBytes(members as Failed);
  const $fault = statusCode < 500 ? "client" : "server";
  const given = { name, message, $fault, $metadata: metadata(statusCode), ...items };
  const known = (sdk as unknown as Record<string, Exception | undefined>)[name];
  return known ? new known(given) : new sdk.DynamoDBServiceException(given as never);
}

interface Failed {
  readonly Item?: Parameters<typeof attributesFromJson>[0];
}

function withBytes({ Item, ...failed }: Failed): Failed {
  return { ...failed, ...(Item && { Item: attributesFromJson(Item) }) };
}
