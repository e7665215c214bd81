import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * The one DynamoDB client. Four attempts for throttling, timeouts and 5xx; a cancelled transaction is never retried by the SDK,
 * but by `transact`, which knows which reasons may be.
 */
export const table = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 3_000 },
  }),
  { marshallOptions: { removeUndefinedValues: true } },
);
