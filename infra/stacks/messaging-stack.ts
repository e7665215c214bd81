import { CfnOutput, Duration } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { addReach, type Reach } from "../constructs/function-factory.ts";
import { grantSend } from "../constructs/grants.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import { Alerts } from "../constructs/messaging/alerts.ts";
import { BackgroundJobs } from "../constructs/messaging/background-jobs.ts";
import { Callbacks } from "../constructs/messaging/callbacks.ts";
import { Deadlines } from "../constructs/messaging/deadlines.ts";
import { Evidence } from "../constructs/messaging/evidence.ts";
import { Files } from "../constructs/messaging/files.ts";
import { Outside } from "../constructs/messaging/outside.ts";
import { isAnyText, isText, StreamConsumer } from "../constructs/messaging/stream-consumer.ts";
import { WorkQueue } from "../constructs/messaging/work-queue.ts";
import { addEventAlarms } from "../constructs/operations/account-alarms.ts";
import { addNumberAlarms } from "../constructs/operations/number-alarms.ts";
import { addPlatformAlarms } from "../constructs/operations/platform-alarms.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/** Asynchronous work: streams, the event bus, the processor's queue and deadlines. */
export class MessagingStack extends FunctionStack {
  readonly sweeper: ServiceFunction;
  readonly processorQueue: Queue;

  constructor(scope: Construct, id: string, props: FunctionStackProps) {
    super(scope, id, props);
    const { functions } = this;
    const { settings, alarms } = functions.props;
    const reach = addReach(this, settings);
    const bus = new EventBus(this, "EventBus", { eventBusName: `card-issuing-${settings.name}` });
    new CfnOutput(this, "EventBusName", { value: bus.eventBusName });
    const relay = this.addRelay(bus);
    this.addListIndexer();
    this.processorQueue = this.addProcessor(reach);
    const callbacks = new Callbacks(this, "Callbacks", { functions, bus, reach, relay });
    new BackgroundJobs(this, "Jobs", { functions, bus });
    const { deadLetters: personalDeadLetters } = new Outside(this, "Outside", { settings, alarms, bus });
    const alerts = new Alerts(this, "Alerts", { functions, bus, reach, personalDeadLetters });
    const { filesBucket, evidenceBucket } = functions.props.data;
    new Files(this, "FileIntake", { functions, bucket: filesBucket });
    new Evidence(this, "EvidenceIntake", { functions, bucket: evidenceBucket });

    const sweeper = functions.ofDeposits("DeadlinesFunction", "deadlines", "Executes due deadlines.", {
      timeout: Duration.seconds(55),
      // Two concurrent sweeps would compete for the same rows.
      reservedConcurrency: 1,
      environment: {
        SLOW_ENDPOINT_QUEUE_URL: callbacks.slowQueue.queueUrl,
        ALERT_QUEUE_URL: alerts.queue.queueUrl,
      },
    });
    this.sweeper = functions.addVault(sweeper, "deadlines");
    for (const queue of [callbacks.slowQueue, alerts.queue]) grantSend(queue, this.sweeper);
    new Deadlines(this, "Deadlines", { settings, alarms, sweeper: this.sweeper });
    addEventAlarms(
      this,
      alarms,
      "EventsUndelivered",
      "EventBridge could not hand over events: what follows from them does not happen.",
    );
  }

  private addRelay(bus: EventBus): ServiceFunction {
    const { settings, data, alarms } = this.functions.props;
    const relay = this.functions.ofPrograms(
      "OutboxRelayFunction",
      "outbox-relay",
      "Queues the deliveries of committed events and publishes them on the bus.",
      {
        timeout: Duration.seconds(30),
        environment: { EVENT_BUS_NAME: bus.eventBusName },
      },
    );
    new StreamConsumer(this, "OutboxRelay", {
      deadLettersName: `card-issuing-${settings.name}-outbox-relay-dead-letters`,
      table: data.issuingTable,
      consumer: relay,
      alarms,
      settings,
      // An event is an item of its own, or another item of its commit carries it.
      newImages: [{ sk: isText("OUTBOX") }, { outbox: { M: { eventId: isAnyText } } }],
      mapping: { batchSize: 100, reportBatchItemFailures: true },
      severity: "page",
      lag: { limit: Duration.minutes(5), sentence: "The relay is more than five minutes behind." },
      impact:
        "Committed events are not published: customers' callbacks are missing. Balances and statements are correct.",
    });
    bus.grantPutEventsTo(relay);
    return relay;
  }

  private addListIndexer() {
    const { settings, data, alarms } = this.functions.props;
    const indexer = this.functions.ofPrograms(
      "ListIndexerFunction",
      "list-indexer",
      "Compacts the lists' indexes and advances checkpoints, so that long lists and journals stay fast.",
      // Sorts up to a million entries at a time.
      { timeout: Duration.minutes(15), memoryMegabytes: 3_008 },
    );
    // A stream supports two consumers; this is the second.
    new StreamConsumer(this, "ListIndexer", {
      deadLettersName: `card-issuing-${settings.name}-list-indexer-dead-letters`,
      table: data.issuingTable,
      consumer: indexer,
      alarms,
      settings,
      newImages: [{ listed: isAnyText }],
      mapping: { batchSize: 1_000, maxBatchingWindow: Duration.seconds(1) },
      severity: "ticket",
      lag: { limit: Duration.minutes(30), sentence: "The indexer is more than half an hour behind." },
      impact:
        "Lists are still correct but become slower and more expensive to read. A late change may be missing until it is redriven.",
    });
  }

  private addProcessor(reach: Reach): Queue {
    const { settings, alarms } = this.functions.props;
    const processorTimeout = Duration.seconds(30);
    const processor = this.functions.bySettings(
      "ProcessorEventsFunction",
      "processor-events",
      "Applies the events of the card network, the compliance provider, banks and custodians.",
      {
        timeout: processorTimeout,
        // It asks authorization endpoints.
        environment: { ...reach },
      },
    );
    const [alias = processor] = addLiveAliases(processor, { alarms });
    const processorEvents = new WorkQueue(this, "ProcessorEvents", {
      queueName: `card-issuing-${settings.name}-processor-events`,
      settings,
      alarms,
      consumer: processor,
      alias,
      consumerTimeout: processorTimeout,
      concurrency: settings.queueConcurrency,
      // One attempt every three minutes: a deposit for an unknown account goes to suspense after
      // more than an hour.
      attempts: 25,
      ifWaiting: "page",
      impact: "The processor's events are not applied: balances and KYC outcomes lag behind the network.",
    });
    new CfnOutput(this, "ProcessorQueueUrl", { value: processorEvents.queue.queueUrl });
    addPlatformAlarms({ settings, alarms, processor });
    addNumberAlarms(alarms, settings.name);
    return processorEvents.queue;
  }
}
