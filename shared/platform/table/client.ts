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

// It copies every item for a logger, and there is none: 5 % of a call's CPU.
table.middlewareStack.remove("loggerMiddleware");
