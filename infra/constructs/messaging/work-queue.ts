import { Duration, Names, type RemovalPolicy } from "aws-cdk-lib";
import {
  type CfnFunction,
  type IFunction,
  type Function as LambdaFunction,
  RecursiveLoop,
} from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { grantConsume, grantSend } from "../grants.ts";
import { type Alarms, alarmPeriod, type Severity } from "../operations/alarms.ts";
import { writesHere } from "../second-region-settings.ts";

export interface WorkQueueProps {
  /** The dead-letter queue's name is this one with a suffix. */
  readonly queueName: string;
  readonly settings: Settings;
  readonly alarms: Alarms;
  readonly consumer: LambdaFunction;
  /** By which it is invoked, if not by itself. */
  readonly alias?: IFunction;
  readonly consumerTimeout: Duration;
  readonly concurrency: number;
  readonly attempts?: number;
  /** How many messages an invocation gets at most. Default: 10. */
  readonly batchSize?: number;
  /** Whether waiting messages wake somebody. By default they do not. */
  readonly ifWaiting?: Severity;
  /** Consequences for customers when messages wait or fail, for the alarms' texts. */
  readonly impact: string;
}

const usualAttempts = 5;

/** A queue with its consumer, its dead-letter queue and alarms on both. */
export class WorkQueue extends Construct {
  readonly name: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  private readonly consumer: LambdaFunction;

  constructor(scope: Construct, id: string, props: WorkQueueProps) {
    super(scope, id);
    this.name = props.queueName;
    const deadLetters = new DeadLetterQueue(this, "DeadLetters", {
      removalPolicy: props.settings.removalPolicy,
      alarms: props.alarms,
      alarmId: `${id}DeadLetters`,
      impact: props.impact,
      queueName: `${props.queueName}-dead-letters`,
    });
    this.deadLetters = deadLetters.queue;
    this.queue = new Queue(this, "Queue", {
      queueName: props.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      // Its age counts from here in the dead letters too, so that people have ten days for those.
      retentionPeriod: Duration.days(4),
      removalPolicy: props.settings.removalPolicy,
      // Lambda requires six times its timeout, so that no retry overlaps its predecessor.
      visibilityTimeout: Duration.seconds(6 * props.consumerTimeout.toSeconds()),
      deadLetterQueue: { queue: deadLetters.queue, maxReceiveCount: props.attempts ?? usualAttempts },
    });
    grantConsume(this.queue, props.consumer);
    // Keeps the id of CDK's own event source: another id would create a second mapping, which
    // Lambda rejects.
    const invoked = props.alias ?? props.consumer;
    invoked.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`, {
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize ?? 10,
      maxConcurrency: props.concurrency,
      ...(!writesHere(props.settings) && { enabled: false }),
      reportBatchItemFailures: true,
    });
    this.consumer = props.consumer;
    props.alarms.add(`${id}Age`, {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod }),
      severity: props.ifWaiting ?? "ticket",
      threshold: Duration.minutes(5).toSeconds(),
      // From a message's third attempt on, SQS leaves it out of the age.
      periods: 3,
      runbook: "messages-that-wait",
      impact: `For 15 minutes, messages have waited for more than five minutes. ${props.impact}`,
    });
  }

  /**
   * Lets the consumer send the rest of its work to the queue. By default, Lambda stops a function
   * that one event has invoked 16 times.
   */
  allowReturns(): void {
    grantSend(this.queue, this.consumer);
    (this.consumer.node.defaultChild as CfnFunction).recursiveLoop = RecursiveLoop.ALLOW;
  }
}

export interface DeadLetterQueueProps {
  readonly queueName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly alarms: Alarms;
  readonly alarmId: string;
  /** By default a ticket: what is in the queue stays there for two weeks. */
  readonly severity?: Severity;
  readonly impact: string;
}

/** Keeps failed messages for a person. Any message raises an alarm. */
export class DeadLetterQueue extends Construct {
  readonly name: string;
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id);
    this.name = props.queueName;
    this.queue = new Queue(this, "Queue", {
      queueName: props.queueName,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: props.removalPolicy,
    });
    props.alarms.add(props.alarmId, {
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      severity: props.severity ?? "ticket",
      threshold: 0,
      runbook: "dead-letters",
      impact: `Messages failed for good and wait in ${props.queueName}. ${props.impact}`,
    });
  }
}
