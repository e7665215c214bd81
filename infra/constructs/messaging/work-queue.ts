import { Duration, Names } from "aws-cdk-lib";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { type CfnFunction, type IFunction, RecursiveLoop } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { FunctionFactory } from "../function-factory.ts";
import { grantConsume, grantQueue } from "../grants.ts";
import { alarmPeriod, type Severity } from "../operations/alarms.ts";
import { writesHere } from "../second-region-settings.ts";
import type { ServiceFunction } from "../service-function.ts";

export class NamedQueue extends Queue {
  readonly name: string;

  /** The name is one within the environment. */
  constructor(
    scope: Construct,
    { props: { settings } }: FunctionFactory,
    { name, ...props }: QueueProps & { readonly name: string },
  ) {
    const queueName = `card-issuing-${settings.name}-${name}`;
    const { removalPolicy } = settings;
    const encryption = QueueEncryption.SQS_MANAGED;
    super(scope, "Queue", { ...props, queueName, encryption, enforceSSL: true, removalPolicy });
    this.name = queueName;
  }
}

interface WorkQueueProps {
  /** Within the environment. */
  readonly name: string;
  readonly consumer: ServiceFunction;
  /** By which it is invoked, if not by itself. */
  readonly alias?: IFunction;
  readonly attempts?: number;
  /** How many messages an invocation gets at most. Default: 10. */
  readonly batchSize?: number;
  /** Whether waiting messages wake somebody. By default they do not. */
  readonly ifWaiting?: Severity | undefined;
  /** Consequences for customers when messages wait or fail, for the alarms' texts. */
  readonly impact: string;
}

export const usualAttempts = 5;

/** A queue with its consumer, its dead-letter queue and alarms on both. */
export class WorkQueue extends Construct {
  readonly queue: NamedQueue;
  readonly deadLetters: NamedQueue;
  private readonly consumer: ServiceFunction;

  constructor(functions: FunctionFactory, id: string, props: WorkQueueProps) {
    super(functions.stack, id);
    const { settings, alarms } = functions.props;
    const { name, consumer, attempts: maxReceiveCount = usualAttempts, impact } = props;
    this.consumer = consumer;
    const { queue } = new DeadLetterQueue(this, "DeadLetters", functions, {
      name,
      alarmId: `${id}DeadLetters`,
      impact,
    });
    this.deadLetters = queue;
    this.queue = new NamedQueue(this, functions, {
      name,
      // Its age counts from here in the dead letters too, so that people have ten days for those.
      retentionPeriod: Duration.days(4),
      // Lambda requires six times its timeout, so that no retry overlaps its predecessor.
      visibilityTimeout: Duration.seconds(6 * (consumer.timeout?.toSeconds() ?? 0)),
      deadLetterQueue: { queue, maxReceiveCount },
    });
    grantConsume(this.queue, consumer);
    // Keeps the id of CDK's own event source: another id would create a second mapping, which
    // Lambda rejects.
    const invoked = props.alias ?? consumer;
    invoked.addEventSourceMapping(`SqsEventSource:${Names.nodeUniqueId(this.queue.node)}`, {
      eventSourceArn: this.queue.queueArn,
      batchSize: props.batchSize ?? 10,
      maxConcurrency: settings.queueConcurrency,
      ...(!writesHere(settings) && { enabled: false }),
      reportBatchItemFailures: true,
    });
    alarms.add(`${id}Age`, {
      metric: this.queue.metricApproximateAgeOfOldestMessage({ period: alarmPeriod }),
      severity: props.ifWaiting ?? "ticket",
      above: Duration.minutes(5).toSeconds(),
      // From a message's third attempt on, SQS leaves it out of the age.
      periods: 3,
      runbook: "messages-that-wait",
      impact: `For 15 minutes, messages have waited for more than five minutes. ${impact}`,
    });
  }

  /** As the target of a rule. */
  get target(): SqsQueue {
    return new SqsQueue(this.queue, { deadLetterQueue: this.deadLetters });
  }

  /**
   * Lets the consumer send the rest of its work to the queue, which it finds in this variable. By
   * default, Lambda stops a function that one event has invoked 16 times.
   */
  allowReturns(variable: string): void {
    grantQueue(this.queue, variable, this.consumer);
    (this.consumer.node.defaultChild as CfnFunction).recursiveLoop = RecursiveLoop.ALLOW;
  }
}

interface DeadLetterQueueProps {
  /** The name of the queue or stream consumer whose messages failed. */
  readonly name: string;
  readonly alarmId: string;
  /** By default a ticket: what is in the queue stays there for two weeks. */
  readonly severity?: Severity;
  readonly impact: string;
}

/** Keeps failed messages for a person. Any message raises an alarm. */
export class DeadLetterQueue extends Construct {
  readonly queue: NamedQueue;

  constructor(
    scope: Construct,
    id: string,
    functions: FunctionFactory,
    { name, alarmId, severity = "ticket", impact }: DeadLetterQueueProps,
  ) {
    super(scope, id);
    const retentionPeriod = Duration.days(14);
    this.queue = new NamedQueue(this, functions, { name: `${name}-dead-letters`, retentionPeriod });
    functions.props.alarms.add(alarmId, {
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) }),
      severity,
      runbook: "dead-letters",
      impact: `Messages failed for good and wait in ${this.queue.name}. ${impact}`,
    });
  }
}
