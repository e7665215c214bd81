import { describe, expect, it } from "vitest";
import {
  account,
  allow,
  assemblyWith,
  decrypt,
  region,
  tableArn,
} from "../../infra/local/test/given-role.ts";
import { resource } from "../../infra/local/test/given-template.ts";
import { sourceGrants } from "./source-permissions.ts";

describe("an event source mapping", () => {
  const queueArn = `arn:aws:sqs:${region}:${account}:work`;
  const streamArn = `${tableArn}/stream/local`;
  const readStream = ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map(
    (action) => `dynamodb:${action}`,
  );
  const requireRights = (properties: object, ...statements: object[]) => {
    const assembly = assemblyWith(...statements);
    const mapping = { FunctionName: "cards", ...properties };
    assembly.resources.push(resource("AWS::Lambda::EventSourceMapping", "mapping", "", mapping));
    return sourceGrants(assembly);
  };

  it.each(["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"])(
    "of a queue needs %s",
    (missing) => {
      const all = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
      const consume = { EventSourceArn: queueArn };
      expect(() => requireRights(consume, allow(all, queueArn))).not.toThrow();
      const others = all.filter((action) => action !== missing);
      expect(() => requireRights(consume, allow(others, queueArn))).toThrow(missing);
    },
  );

  it("of a stream needs the stream, its table's key and the failure queue", () => {
    const follow = {
      EventSourceArn: streamArn,
      DestinationConfig: { OnFailure: { Destination: queueArn } },
    };
    const putAside = allow("sqs:SendMessage", queueArn);
    const all = allow(readStream, streamArn);
    expect(() => requireRights(follow, all, decrypt, putAside)).not.toThrow();
    expect(() => requireRights(follow, allow(readStream.slice(1), streamArn), decrypt, putAside)).toThrow(
      "dynamodb:DescribeStream",
    );
    expect(() => requireRights(follow, all, putAside)).toThrow("kms:Decrypt");
    expect(() => requireRights(follow, all, decrypt)).toThrow("sqs:SendMessage");
  });
});
