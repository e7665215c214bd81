import { z } from "zod";
import type { SqsEngine } from "../engines/sqs.ts";
import type { Assembly, InvokeResult } from "../interfaces.ts";
import { type AsyncInvocations, queueName } from "./async-invocations.ts";

/** What a rule names as its target. */
export const TargetProperties = z.object({
  Arn: z.string(),
  Input: z.string().optional(),
  DeadLetterConfig: z.strictObject({ Arn: z.string() }).optional(),
  // A local delivery succeeds, or cannot succeed at all: there is nothing in between to repeat.
  RetryPolicy: z
    .strictObject({
      MaximumRetryAttempts: z.number().optional(),
      MaximumEventAgeInSeconds: z.number().optional(),
    })
    .optional(),
});
export type TargetProperties = z.infer<typeof TargetProperties>;

export interface Target {
  arn: string;
  /**
   * Resolves once the event is on disk at the target, or in the target's dead-letter queue; with the function's result
   * where it ran at once.
   */
  deliver(event: unknown, ruleArn: string): Promise<InvokeResult | undefined>;
}

/** Binds a target to the queue or function of the template that it names. Errors: it names neither. */
export function bindTarget(
  properties: TargetProperties,
  assembly: Assembly,
  engine: SqsEngine,
  invocations: AsyncInvocations,
  run: "accept" | "run" = "accept",
): Target {
  const { Arn: arn, Input, DeadLetterConfig } = properties;
  const type = assembly.byArn(arn)?.type;
  const deadLetters = queueName(assembly, DeadLetterConfig?.Arn);
  const inputOf = (event: unknown): unknown => (Input === undefined ? event : JSON.parse(Input));
  if (type === "AWS::Lambda::Function") {
    const deliver = async (event: unknown) => (await invocations[run](arn, inputOf(event))) ?? undefined;
    return { arn, deliver };
  }
  const queue = queueName(assembly, arn);
  return {
    arn,
    deliver: async (event, ruleArn) => {
      const body = JSON.stringify(inputOf(event));
      try {
        await engine.send(queue, { body });
      } catch (error) {
        if (deadLetters === undefined) throw error;
        const text = (StringValue: string) => ({ DataType: "String", StringValue });
        const attributes = {
          RULE_ARN: text(ruleArn),
          TARGET_ARN: text(arn),
          ERROR_CODE: text("SDK_CLIENT_ERROR"),
          ERROR_MESSAGE: text(error instanceof Error ? error.message : String(error)),
        };
        await engine.send(deadLetters, { body: JSON.stringify(event), attributes });
      }
      return undefined;
    },
  };
}
