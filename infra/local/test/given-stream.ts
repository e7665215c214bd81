import { PutItemCommand, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { givenServices, type Played, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const table = {
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [
    { AttributeName: "pk", AttributeType: "S" },
    { AttributeName: "sk", AttributeType: "S" },
  ],
  StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
};
export const dead = arnOf("AWS::SQS::Queue", "given-up");
export const streamArn = `${arnOf("AWS::DynamoDB::GlobalTable", "ledger")}/stream/local`;

export function templateWith(mapping: object) {
  return givenTemplate(
    ["AWS::DynamoDB::GlobalTable", "ledger", table],
    ["AWS::SQS::Queue", "given-up"],
    ["AWS::Lambda::Function", "relay"],
    [
      "AWS::Lambda::EventSourceMapping",
      "mapping",
      { EventSourceArn: streamArn, FunctionName: "relay", StartingPosition: "TRIM_HORIZON", ...mapping },
    ],
  );
}

export interface StreamEvent {
  Records: { eventName: string; dynamodb: { SequenceNumber: string; NewImage: { pk: { S: string } } } }[];
}
export const keysOf = (event: unknown) =>
  (event as StreamEvent).Records.map((record) => record.dynamodb.NewImage.pk.S);

/** A table whose stream feeds the function `relay`. */
export function givenStream(mapping: object, relay: Played, more: object = {}): Promise<Services> {
  return givenServices({ template: templateWith(mapping), functions: { relay }, ...more });
}

export function putItem(services: Services, pk: string, sk = "OUTBOX", more: object = {}): Promise<unknown> {
  const Item = { pk: { S: pk }, sk: { S: sk }, ...more };
  return services.tableClient.send(new PutItemCommand({ TableName: "ledger", Item }));
}

/** Several records that the source meets as one batch: written in one commit. */
export function putTogether(services: Services, ...keys: string[]): Promise<unknown> {
  const TransactItems = keys.map((pk) => ({
    Put: { TableName: "ledger", Item: { pk: { S: pk }, sk: { S: "OUTBOX" } } },
  }));
  return services.tableClient.send(new TransactWriteItemsCommand({ TransactItems }));
}
