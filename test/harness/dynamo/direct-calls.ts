import { setImmediate } from "node:timers/promises";
import * as sdk from "@aws-sdk/client-dynamodb";
import { attributesFromJson, table } from "../../../shared/platform/table/client.ts";
import type { OwnEngine } from "./engine.ts";
import type { EngineError } from "./engine-error.ts";

type Handler = (args: { readonly input: object }) => Promise<{ readonly output: object }>;
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

/** Those around a call, outermost first; undefined where one of a test is to see the wire. */
let around: readonly Middleware[] | undefined;
/** What each call has between its input and the wire, of the SDK and of light-client.ts. */
let ofEach: ReadonlySet<string | undefined> = new Set();

function look(): void {
  const all = entries();
  const ofInput = all.filter(({ step = "initialize" }) => step === "initialize");
  const isOnWire = all.some(({ step = "initialize", name }) => step !== "initialize" && !ofEach.has(name));
  const weight = ({ priority }: Entry) => (priority === "high" ? 0 : priority === "low" ? 2 : 1);
  const inOrder = ofInput.toSorted((left, right) => weight(left) - weight(right));
  around = isOnWire ? undefined : inOrder.map(({ middleware }) => middleware);
}

/**
 * The table's calls go to this engine with their input. The SDK's way of them, by HTTP and back,
 * takes most of the time of a test of functions. Proofs, test/system and files that look at the
 * wire go it, to an engine of its own process.
 */
export function callDirectly(engine: OwnEngine): void {
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
  const send = table.send.bind(table) as unknown as (command: Command) => Promise<object>;
  const sendDirectly = async (command: Command) => {
    const { requestHandler } = table.config;
    if (!around || Object.hasOwn(requestHandler, "handle")) return send(command);
    const commandName = command.clientCommand.constructor.name;
    const call: Handler = ({ input }) => execute(engine, commandName, input);
    const context = { commandName };
    const handler = around.reduceRight((next, middleware) => middleware(next, context), call);
    return (await handler({ input: command.clientCommand.input })).output;
  };
  table.send = sendDirectly as unknown as typeof table.send;
}

/** Other work of the process comes between a call and its answer, as between calls of an engine. */
async function execute(engine: OwnEngine, commandName: string, input: object) {
  await setImmediate();
  try {
    const answer = engine.execute(commandName.replace(/Command$/, ""), input);
    return { output: { ...answer, $metadata: { httpStatusCode: 200, attempts: 1, totalRetryDelay: 0 } } };
  } catch (error) {
    throw isOfEngine(error) ? toException(error) : error;
  }
}

/** Not by its class: after a reset of modules, the process's engine has the one before. */
function isOfEngine(error: unknown): error is EngineError {
  return error instanceof Error && "members" in error;
}

type Exception = new (given: object) => Error;

/** As the SDK's own, whose items have bytes and not their base64. */
function toException({ name, message, members }: EngineError): Error {
  const { CancellationReasons: reasons } = members;
  const items = reasons
    ? { CancellationReasons: (reasons as readonly Failed[]).map(withBytes) }
    : withBytes(members as Failed);
  const $metadata = { httpStatusCode: 400, attempts: 1, totalRetryDelay: 0 };
  const given = { name, message, $fault: "client", $metadata, ...items };
  const known = (sdk as unknown as Record<string, Exception | undefined>)[name];
  return known ? new known(given) : new sdk.DynamoDBServiceException(given as never);
}

interface Failed {
  readonly Item?: Parameters<typeof attributesFromJson>[0];
}

function withBytes({ Item, ...failed }: Failed): Failed {
  return { ...failed, ...(Item && { Item: attributesFromJson(Item) }) };
}
