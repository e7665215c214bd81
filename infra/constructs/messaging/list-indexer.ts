import { Duration, type RemovalPolicy, Validations } from "aws-cdk-lib";
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

export interface ListIndexerProps {
  readonly deadLettersName: string;
  readonly removalPolicy: RemovalPolicy;
  readonly table: DataTable;
  readonly indexer: LambdaFunction;
  readonly alarms: Alarms;
}

const impact =
  "Lists are right still, but cost more and more to read. A change that came late may be missing in one until it is redriven.";

/** From the table's stream, of which this is the second and last consumer, to the lists: each change of one, at least once. */
export class ListIndexer extends Construct {
  constructor(scope: Construct, id: string, props: ListIndexerProps) {
    super(scope, id);
    const givenUp = new DeadLetterQueue(this, "GivenUp", {
      queueName: props.deadLettersName,
      removalPolicy: props.removalPolicy,
      alarms: props.alarms,
      alarmId: "ListIndexerGivenUp",
      impact,
    });
    Validations.of(givenUp).acknowledge({
      id: "AwsSolutions-SQS3",
      reason: "It is itself the dead-letter queue of a stream's consumer, which the rule does not recognize.",
    });
    props.indexer.addEventSourceMapping("Stream", {
      eventSourceArn: grantStreamRead(props.table, props.indexer),
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 1_000,
      maxBatchingWindow: Duration.seconds(1),
      bisectBatchOnError: true,
      retryAttempts: 10,
      maxRecordAge: Duration.hours(12),
      onFailure: whereGivenUp(givenUp.queue),
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual("INSERT"),
          dynamodb: { NewImage: { listed: { S: FilterRule.exists() } } },
        }),
      ],
    });
    props.alarms.add("ListIndexerLag", {
      metric: props.indexer.metric("IteratorAge", { statistic: "Maximum", period: alarmPeriod }),
      threshold: Duration.minutes(30).toMilliseconds(),
      runbook: "streams-that-fall-behind",
      impact: `The indexer is more than half an hour behind. ${impact}`,
    });
  }
}
