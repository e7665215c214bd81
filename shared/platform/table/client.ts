import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { requestLimits } from "../request-limits.ts";
import { convertItems, packItem, unpackItem } from "./packed.ts";

/** Four attempts for throttling, timeouts and 5xx. `transact` retries cancelled transactions. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: requestLimits(3_000),
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

// They copy items for a logger that is not there, and sign the SDK's version: 9 % of a call.
for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) table.middlewareStack.remove(name);

// Innermost: what stands around a call in tests and tools sees items as they are written and read.
table.middlewareStack.add(
  (next) => async (args) => {
    const { output, ...rest } = await next({ ...args, input: convertItems(args.input, packItem) as object });
    return { ...rest, output: convertItems(output, unpackItem) as typeof output };
  },
  { step: "initialize", priority: "low", name: "packItems" },
);
