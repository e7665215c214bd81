import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { type IEventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { outsideKinds } from "../../../shared/contract/outbox.ts";
import type { Settings } from "../../environments.ts";
import { type Alarms, alarmPeriod } from "../operations/alarms.ts";
import { DeadLetterQueue } from "./work-queue.ts";

export interface OutsideProps {
  readonly settings: Settings;
  readonly alarms: Alarms;
  readonly bus: IEventBus;
}

/** Longer than any consumer needs to hand a message on. */
const visibilityTimeout = Duration.minutes(5);
const attempts = 5;

/**
 * The queue of what waits for somebody outside. Its consumer is not the platform's: docs/outside.md
 * says how it gets its permission.
 */
export class Outside extends Construct {
  readonly name: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { settings, alarms, bus }: OutsideProps) {
    super(scope, id);
    const { name, removalPolicy } = settings;
    this.name = `card-issuing-${name}-outside`;
    const impact = "Identity checks, issuances or cards to produce wait for somebody outside.";
    const deadLetters = new DeadLetterQueue(this, "DeadLetters", {
      queueName: `${this.name}-dead-letters`,
      removalPolicy,
      alarms,
      alarmId: "OutsideDeadLetters",
      impact,
    });
    this.deadLetters = deadLetters.queue;
    this.queue = new Queue(this, "Queue", {
      queueName: this.name,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Its consumer is another's: one that stands still over holidays loses nothing.
      retentionPeriod: Duration.days(14),
      removalPolicy,
      visibilityTimeout,
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: attempts },
    });
    new Rule(this, "Rule", {
      description: "Queues what waits for somebody outside.",
      eventBus: bus,
      eventPattern: { detailType: [...outsideKinds] },
      targets: [new SqsQueue(this.queue, { deadLetterQueue: deadLetters.queue })],
    });
    alarms.add("OutsideAge", {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod }),
      severity: "ticket",
      threshold: Duration.days(1).toSeconds(),
      runbook: "outside-work-that-waits",
      impact: `The oldest message has waited for more than a day. ${impact}`,
    });
    new CfnOutput(Stack.of(this), "OutsideQueueUrl", { value: this.queue.queueUrl });
  }
}
