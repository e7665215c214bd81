import { CfnOutput, Duration } from "aws-cdk-lib";
import { type IEventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Construct } from "constructs";
import { outsideKinds } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { alarmPeriod } from "../operations/alarms.ts";
import { DeadLetterQueue, NamedQueue, usualAttempts } from "./work-queue.ts";

/** Longer than any consumer needs to hand a message on. */
const visibilityTimeout = Duration.minutes(5);

/**
 * The queue of what waits for somebody outside. Its consumer is not the platform's: docs/outside.md
 * says how it gets its permission.
 */
export class Outside extends Construct {
  readonly queue: NamedQueue;
  readonly deadLetters: NamedQueue;

  constructor(functions: FunctionFactory, bus: IEventBus) {
    super(functions.stack, "Outside");
    const name = "outside";
    const impact = "Identity checks, issuances or cards to produce wait for somebody outside.";
    const { queue } = new DeadLetterQueue(this, "DeadLetters", functions, {
      name,
      alarmId: "OutsideDeadLetters",
      impact,
    });
    this.deadLetters = queue;
    this.queue = new NamedQueue(this, functions, {
      name,
      // Its consumer is another's: one that stands still over holidays loses nothing.
      retentionPeriod: Duration.days(14),
      visibilityTimeout,
      deadLetterQueue: { queue, maxReceiveCount: usualAttempts },
    });
    new Rule(this, "Rule", {
      description: "Queues what waits for somebody outside.",
      eventBus: bus,
      eventPattern: { detailType: [...outsideKinds] },
      targets: [new SqsQueue(this.queue, { deadLetterQueue: queue })],
    });
    functions.props.alarms.add("OutsideAge", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod }),
      severity: "ticket",
      above: Duration.days(1).toSeconds(),
      runbook: "outside-work-that-waits",
      impact: `The oldest message has waited for more than a day. ${impact}`,
    });
    new CfnOutput(functions.stack, "OutsideQueueUrl", { value: this.queue.queueUrl });
  }
}
