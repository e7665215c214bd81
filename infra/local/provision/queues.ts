import { z } from "zod";
import type { SqsEngine } from "../engines/sqs.ts";
import type { Assembly } from "../interfaces.ts";
import { readProperties } from "./read-properties.ts";

const QueueProperties = z.object({
  DelaySeconds: z.coerce.string().default("0"),
  MaximumMessageSize: z.coerce.string().default("1048576"),
  MessageRetentionPeriod: z.coerce.string().default("345600"),
  ReceiveMessageWaitTimeSeconds: z.coerce.string().default("0"),
  VisibilityTimeout: z.coerce.string().default("30"),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().positive() })
    .optional(),
});

/** Makes the template's queues, or brings those of an earlier run to the template. Their messages stay. */
export async function provisionQueues(assembly: Assembly, engine: SqsEngine): Promise<void> {
  for (const queue of assembly.ofType("AWS::SQS::Queue")) {
    const { RedrivePolicy, ...given } = readProperties(queue, QueueProperties);
    if (RedrivePolicy !== undefined && assembly.byArn(RedrivePolicy.deadLetterTargetArn) === undefined) {
      throw new Error(`${queue.logicalId}: no queue of the template is ${RedrivePolicy.deadLetterTargetArn}`);
    }
    const attributes: Record<string, string> = { ...given };
    if (RedrivePolicy !== undefined) attributes.RedrivePolicy = JSON.stringify(RedrivePolicy);
    const name = queue.physicalName;
    await engine.declareQueue({
      name,
      url: `${engine.endpoint}/${assembly.account}/${name}`,
      arn: queue.arn,
      attributes,
    });
  }
}
