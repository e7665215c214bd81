import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { writePlainJson } from "../plain-json.ts";
import { requestLimits } from "../request-limits.ts";
import { maxAttempts, shortenCalls } from "../short-calls.ts";
import { convertItems, fromStored, toStored } from "./packed.ts";

/** Four attempts for throttling, timeouts and 5xx. `transact` retries cancelled transactions. */
const client = new DynamoDBClient({ maxAttempts, requestHandler: requestLimits(3_000) });
writePlainJson(client.config.protocol);
shortenCalls(client);

// They copy items for a logger that is not there, and sign the SDK's version: 9 % of a call.
for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) client.middlewareStack.remove(name);

// Innermost: what stands around a call in tests and tools sees items as they are written and read.
client.middlewareStack.add(
  (next) => async (args) => {
    const input = convertItems(args.input, (item: Readonly<Record<string, unknown>>) =>
      attributesToJson(toStored(item)),
    );
    const { output, ...rest } = await next({ ...args, input: input as object });
    const read = convertItems(output, (item: never) => fromStored(attributesFromJson(item)));
    return { ...rest, output: read as typeof output };
  },
  { step: "initialize", priority: "low", name: "packItems" },
);

export const table = DynamoDBDocumentClient.from(client);
// The client's own command of each: `packItems` converts its items.
const send = (command: { readonly clientCommand: never }) => client.send(command.clientCommand);
table.send = send as unknown as typeof table.send;
// Tests and tools add middlewares after first calls, which would not be used.
table.config.cacheMiddleware = environment.isFunction;

type Attributes = Record<string, AttributeValue>;

/** Bytes are in base64. Changes the item itself, which was made for the call. */
export function attributesToJson(item: Attributes): Attributes {
  return convertBytes(item, (bytes) => Buffer.from(bytes as Uint8Array).toString("base64"));
}

export function attributesFromJson(item: Attributes): Attributes {
  return convertBytes(item, (base64) => Uint8Array.from(Buffer.from(base64 as string, "base64")));
}

interface Bytes {
  B?: unknown;
  BS?: unknown[];
  L?: Bytes[];
  M?: Record<string, Bytes>;
}

function convertBytes(item: Attributes, convert: (bytes: unknown) => unknown): Attributes {
  const walk = (value: Bytes) => {
    if (value.B !== undefined) value.B = convert(value.B);
    else if (value.BS) value.BS = value.BS.map(convert);
    else if (value.L) value.L.forEach(walk);
    else if (value.M) Object.values(value.M).forEach(walk);
  };
  Object.values(item as Record<string, Bytes>).forEach(walk);
  return item;
}
