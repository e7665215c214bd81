import { Duration } from "aws-cdk-lib";
import {
  type EventSourceMappingOptions,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantSend, grantStreamRead } from "../grants.ts";
import { alarmPeriod, type Severity } from "../operations/alarms.ts";
import { isSecond, writesHere } from "../second-region-settings.ts";
import type { ServiceFunction } from "../service-function.ts";
import { DeadLetterQueue } from "./work-queue.ts";

type Image = Readonly<Record<string, unknown>>;

interface StreamConsumerProps {
  readonly name: string;
  readonly consumer: ServiceFunction;
  /** What a new item must have: the attributes of one of these. */
  readonly newImages: readonly Image[];
  /** As above, of items that are new or change. */
  readonly changedImages?: readonly Image[];
  readonly mapping: Pick<
    EventSourceMappingOptions,
    "batchSize" | "maxBatchingWindow" | "reportBatchItemFailures"
  >;
  readonly lag: { readonly limit: Duration; readonly sentence: string };
  /** How bad waiting records are, and those given up: the stream has them for 24 hours only. */
  readonly severity: Severity;
  /** Consequences for customers when records wait or fail, for the alarms' texts. */
  readonly impact: string;
}

export const isText = (text: string) => ({ S: FilterRule.isEqual(text) });
/** One of these; what ends with `#` is how it begins. */
export const isAmong = (texts: readonly string[]) => ({
  S: texts.map((text) => (text.endsWith("#") ? { prefix: text } : text)),
});
export const isAnyText = { S: FilterRule.exists() };
export const isAnyFlag = { BOOL: FilterRule.exists() };

function toFilter(eventName: unknown, NewImage: Image) {
  return FilterCriteria.filter({ eventName, dynamodb: { NewImage } });
}

/**
 * Invokes a function with new items of Programs, at least once and in order per partition. A
 * failing record is isolated and sent to a dead-letter queue, so that it does not block its shard.
 */
export class StreamConsumer extends Construct {
  constructor(functions: FunctionFactory, id: string, props: StreamConsumerProps) {
    super(functions.stack, id);
    const { settings, alarms, data } = functions.props;
    const { name, consumer, severity, lag, impact } = props;
    const givenUp = new DeadLetterQueue(this, "GivenUp", functions, {
      name,
      alarmId: `${id}GivenUp`,
      severity,
      impact,
    });
    acknowledge(givenUp, {
      "AwsSolutions-SQS3":
        "It is itself the dead-letter queue of a stream's consumer, which the rule does not recognize.",
    });
    consumer.addEventSourceMapping("Stream", {
      eventSourceArn: grantStreamRead(data.issuingTable, consumer),
      // What a replica's stream had before a failover may be undone since: what is right of it is
      // sent again (docs/second-region.md).
      startingPosition: isSecond(settings) ? StartingPosition.LATEST : StartingPosition.TRIM_HORIZON,
      ...(!writesHere(settings) && { enabled: false }),
      bisectBatchOnError: true,
      retryAttempts: 10,
      maxRecordAge: Duration.hours(12),
      ...props.mapping,
      onFailure: {
        bind: (_, fn) => {
          grantSend(givenUp.queue, fn);
          return { destination: givenUp.queue.queueArn };
        },
      },
      filters: [
        ...props.newImages.map((image) => toFilter(FilterRule.isEqual("INSERT"), image)),
        ...(props.changedImages ?? []).map((image) => toFilter(FilterRule.or("INSERT", "MODIFY"), image)),
      ],
    });
    alarms.add(`${id}Lag`, {
      metric: consumer.metric("IteratorAge", { statistic: "Maximum", period: alarmPeriod }),
      severity,
      above: lag.limit.toMilliseconds(),
      periods: 2,
      runbook: "streams-that-fall-behind",
      impact: `${lag.sentence} ${impact}`,
    });
  }
}
