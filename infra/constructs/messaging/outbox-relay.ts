import { Duration, type RemovalPolicy, Validations } from "aws-cdk-lib";
import type { EventBus } from "aws-cdk-lib/aws-events";
import {
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { grantStreamRead, whereGivenUp } from "../data-rights.ts";
import type { DataTable } from "../data-table.ts";
import { type Alarms, alarmPeriod } from "../operations/alarms.ts";
import { DeadLetterQueue } from "./work-queue.ts";

export interface OutboxRelayProps {
  /** Of what the relay gave up: so that a person finds it. */
  readonly deadLettersName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly table: DataTable;
  readonly bus: EventBus;
  readonly relay: LambdaFunction;
  readonly alarms: Alarms;
}

const impact =
  "Events that were committed are not on the bus: customers' callbacks are missing. Balances and statements are right.";

/**
 * From the table's stream to the bus: each new outbox item, at least once, in the order of its partition. A record that
 * cannot be relayed is isolated by halving its batch and put aside, so that it does not block its shard for a day.
 */
export class OutboxRelay extends Construct {
  constructor(scope: Construct, id: string, props: OutboxRelayProps) {
    super(scope, id);
    const givenUp = new DeadLetterQueue(this, "GivenUp", {
      queueName: props.deadLettersName,
      removalPolicy: props.removalPolicy,
      alarms: props.alarms,
      alarmId: "OutboxRelayGivenUp",
      impact,
    });
    Validations.of(givenUp).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is itself the dead-letter queue of a stream's consumer, which the rule does not recognize.",
    });
    const streamArn = grantStreamRead(props.table, props.relay);
    props.relay.addEventSourceMapping("Stream", {
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      retryAttempts: 10,
      maxRecordAge: Duration.hours(12),
      onFailure: whereGivenUp(givenUp.queue),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { NewImage: { sk: { S: FilterRule.isEqual("OUTBOX") } } },
        }),
      ],
    });
    props.bus.grantPutEventsTo(props.relay);
    props.alarms.add("OutboxRelayLag", {
      metric: props.relay.metric("IteratorAge", { statistic: "Maximum", period: alarmPeriod }),
      threshold: Duration.minutes(5).toMilliseconds(),
      runbook: "streams-that-fall-behind",
      impact: `The relay is more than five minutes behind. ${impact}`,
    });
  }
}
