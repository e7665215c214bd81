import { appendFileSync } from "node:fs";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { givenServices, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

/** From stream over bus and queue to a function that records arrivals in a file. */
export async function startChain(directory: string, arrivals: string): Promise<Services> {
  const template = givenTemplate(
    [
      "AWS::DynamoDB::GlobalTable",
      "outbox",
      {
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" },
      },
    ],
    ["AWS::Lambda::Function", "relay"],
    ["AWS::Lambda::Function", "consumer"],
    ["AWS::SQS::Queue", "work"],
    [
      "AWS::Events::Rule",
      "rule",
      { EventPattern: { source: ["outbox"] }, Targets: [{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "work") }] },
    ],
    [
      "AWS::Lambda::EventSourceMapping",
      "stream",
      {
        EventSourceArn: `${arnOf("AWS::DynamoDB::GlobalTable", "outbox")}/stream/local`,
        FunctionName: "relay",
        BatchSize: 5,
      },
    ],
    [
      "AWS::Lambda::EventSourceMapping",
      "queue",
      { EventSourceArn: arnOf("AWS::SQS::Queue", "work"), FunctionName: "consumer" },
    ],
  );
  const services: Services = await givenServices({
    template,
    directory,
    functions: {
      relay: async (event) => {
        for (const { dynamodb } of event.Records as { dynamodb: { Keys: { pk: { S: string } } } }[]) {
          const Detail = JSON.stringify({ key: dynamodb.Keys.pk.S });
          const put = await services.events.bus.put({ Source: "outbox", DetailType: "Written", Detail });
          if ("ErrorCode" in put) throw new Error(put.ErrorMessage);
        }
      },
      consumer: (event) => {
        const keys = (event.Records as { body: string }[]).map(({ body }) => JSON.parse(body).detail.key);
        appendFileSync(arrivals, `${keys.join("\n")}\n`);
      },
    },
  });
  return services;
}

/** As a program: writes items and prints each answered key, until it is killed. */
if (import.meta.main) {
  const [, , directory = "", arrivals = "", round = ""] = process.argv;
  const { tableClient } = await startChain(directory, arrivals);
  for (let written = 0; ; written += 1) {
    const pk = `${round}-${written}`;
    await tableClient.send(new PutItemCommand({ TableName: "outbox", Item: { pk: { S: pk } } }));
    process.stdout.write(`${pk} `);
  }
}
