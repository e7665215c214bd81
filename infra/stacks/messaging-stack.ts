import { Duration } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { grantSend } from "../constructs/data-rights.ts";
import { Alerts } from "../constructs/messaging/alerts.ts";
import { Callbacks } from "../constructs/messaging/callbacks.ts";
import { Deadlines } from "../constructs/messaging/deadlines.ts";
import { ListIndexer } from "../constructs/messaging/list-indexer.ts";
import { OutboxRelay } from "../constructs/messaging/outbox-relay.ts";
import { WorkQueue } from "../constructs/messaging/work-queue.ts";
import { addOwnAlarms } from "../constructs/operations/own-alarms.ts";
import { output } from "../constructs/output.ts";
import { addReach } from "../constructs/reach.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** What moves without a request: events to the bus, the processor's messages, what is due. */
export class MessagingStack extends FunctionStack {
  readonly sweeper: ServiceFunction;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, props);
    const { functions } = this;
    const { settings, data, alarms } = functions.props;
    const { removalPolicy } = settings;
    const reach = addReach(this, settings);
    const bus = new EventBus(this, "EventBus", { eventBusName: `card-issuing-${settings.name}` });
    output(this, "EventBusName", bus.eventBusName);

    const relay = functions.plain(
      "OutboxRelayFunction",
      "outbox-relay",
      "Puts committed events on the bus.",
      {
        timeout: Duration.seconds(30),
        environment: { EVENT_BUS_NAME: bus.eventBusName },
      },
    );
    new OutboxRelay(this, "OutboxRelay", {
      deadLettersName: `card-issuing-${settings.name}-outbox-relay-dead-letters`,
      table: data.issuingTable,
      bus,
      relay,
      alarms,
      removalPolicy,
    });

    const indexer = functions.ofPrograms(
      "ListIndexerFunction",
      "list-indexer",
      "Keeps lists fast, however long.",
      // It sorts up to a million entries at a time.
      { timeout: Duration.minutes(15), memoryMegabytes: 3_008 },
    );
    new ListIndexer(this, "ListIndexer", {
      deadLettersName: `card-issuing-${settings.name}-list-indexer-dead-letters`,
      table: data.issuingTable,
      indexer,
      alarms,
      removalPolicy,
    });

    const processorTimeout = Duration.seconds(30);
    const processor = functions.bySettings(
      "ProcessorEventsFunction",
      "processor-events",
      "Applies what the card network and compliance send.",
      {
        timeout: processorTimeout,
        ...(settings.processorConcurrency && { reservedConcurrency: settings.processorConcurrency }),
      },
    );
    const processorEvents = new WorkQueue(this, "ProcessorEvents", {
      queueName: `card-issuing-${settings.name}-processor-events`,
      removalPolicy,
      alarms,
      consumer: processor,
      consumerTimeout: processorTimeout,
      concurrency: settings.queueConcurrency,
      // One every three minutes: a deposit for an unknown account is tried for more than an hour, and then goes to suspense.
      attempts: 25,
      impact: "The processor's events are not applied: balances and KYC outcomes lag behind the network.",
    });
    output(this, "ProcessorQueueUrl", processorEvents.queue.queueUrl);
    addOwnAlarms({ environment: settings.name, alarms, processor });

    const callbacks = new Callbacks(this, "Callbacks", { functions, bus, reach });
    const alerts = new Alerts(this, "Alerts", { functions, bus, reach });

    this.sweeper = functions.ofDeposits("DeadlinesFunction", "deadlines", "Does what is due.", {
      timeout: Duration.seconds(55),
      // Two sweeps at once would only compete for the same rows.
      reservedConcurrency: 1,
      environment: {
        SLOW_ENDPOINT_QUEUE_URL: callbacks.slowQueue.queueUrl,
        ALERT_QUEUE_URL: alerts.queue.queueUrl,
      },
    });
    for (const queue of [callbacks.slowQueue, alerts.queue]) grantSend(queue, this.sweeper);
    new Deadlines(this, "Deadlines", { environment: settings.name, alarms, sweeper: this.sweeper });
  }
}
