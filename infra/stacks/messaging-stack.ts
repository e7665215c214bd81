import { CfnOutput, Duration } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { toldItems } from "../../shared/contract/outbox.ts";
import { grantQueue } from "../constructs/grants.ts";
import { addLiveAliases } from "../constructs/live-alias.ts";
import { addBackgroundJobs } from "../constructs/messaging/background-jobs.ts";
import { addAlerts, addCallbacks } from "../constructs/messaging/callbacks.ts";
import { addDeadlines } from "../constructs/messaging/deadlines.ts";
import { addEvidenceIntake, addFileIntake } from "../constructs/messaging/object-intakes.ts";
import { Outside } from "../constructs/messaging/outside.ts";
import {
  isAmong,
  isAnyFlag,
  isAnyText,
  isText,
  StreamConsumer,
} from "../constructs/messaging/stream-consumer.ts";
import { WorkQueue } from "../constructs/messaging/work-queue.ts";
import { addEventAlarms } from "../constructs/operations/account-alarms.ts";
import { addNumberAlarms, addPlatformAlarms } from "../constructs/operations/platform-alarms.ts";
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
    const bus = new EventBus(this, "EventBus", { eventBusName: `card-issuing-${settings.name}` });
    new CfnOutput(this, "EventBusName", { value: bus.eventBusName });
    const relay = this.addRelay(bus);
    this.addListIndexer();
    this.processorQueue = this.addProcessor();
    const slowQueue = addCallbacks(functions, bus, relay);
    addBackgroundJobs(functions, bus);
    const { deadLetters: personalDeadLetters } = new Outside(functions, bus);
    const alertQueue = addAlerts(functions, bus, personalDeadLetters);
    addFileIntake(functions);
    addEvidenceIntake(functions);

    this.sweeper = functions.make("DeadlinesFunction", "deadlines", "Executes due deadlines.", {
      timeout: Duration.seconds(55),
      // Two concurrent sweeps would compete for the same rows.
      reservedConcurrency: 1,
      vault: "deadlines",
      environment: functions.bank,
    });
    grantQueue(slowQueue, "SLOW_ENDPOINT_QUEUE_URL", this.sweeper);
    grantQueue(alertQueue, "ALERT_QUEUE_URL", this.sweeper);
    addDeadlines(functions, this.sweeper);
    addEventAlarms(
      this,
      alarms,
      "EventsUndelivered",
      "EventBridge could not hand over events: what follows from them does not happen.",
    );
  }

  private addRelay(bus: EventBus): ServiceFunction {
    const relay = this.functions.make(
      "OutboxRelayFunction",
      "outbox-relay",
      "Queues the deliveries of committed events and publishes them on the bus.",
      {
        timeout: Duration.seconds(30),
        environment: { EVENT_BUS_NAME: bus.eventBusName },
      },
    );
    new StreamConsumer(this.functions, "OutboxRelay", {
      name: "outbox-relay",
      consumer: relay,
      // An event is an item of its own, or another item of its commit carries it.
      newImages: [{ sk: isText("OUTBOX") }, { outbox: isAnyFlag }],
      // In one filter, of which a stream's consumer has five at most.
      changedImages: [{ sk: isAmong(toldItems) }],
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
    const indexer = this.functions.make(
      "ListIndexerFunction",
      "list-indexer",
      "Compacts the lists' indexes and advances checkpoints, so that long lists and journals stay fast.",
      // A whole core: merges stream, and need less than 256 MB.
      { timeout: Duration.minutes(15), memoryMegabytes: 1_769 },
    );
    // A stream supports two consumers; this is the second.
    new StreamConsumer(this.functions, "ListIndexer", {
      name: "list-indexer",
      consumer: indexer,
      newImages: [{ listed: isAnyText }],
      // Pages read changes that no index has yet: what waits is only slower to read.
      mapping: { batchSize: 1_000, maxBatchingWindow: Duration.seconds(20) },
      severity: "ticket",
      lag: { limit: Duration.minutes(30), sentence: "The indexer is more than half an hour behind." },
      impact:
        "Lists are still correct but become slower and more expensive to read. A late change may be missing until it is redriven.",
    });
  }

  private addProcessor(): Queue {
    const { settings, alarms } = this.functions.props;
    const processor = this.functions.make(
      "ProcessorEventsFunction",
      "processor-events",
      "Applies the events of the card network, the compliance provider, banks and custodians.",
      {
        timeout: Duration.seconds(30),
        // It asks authorization endpoints.
        environment: this.functions.reach,
      },
    );
    const [alias = processor] = addLiveAliases(processor, { alarms });
    const { queue } = new WorkQueue(this.functions, "ProcessorEvents", {
      name: "processor-events",
      consumer: processor,
      alias,
      // One attempt every three minutes: a deposit for an unknown account goes to suspense after
      // more than an hour.
      attempts: 25,
      ifWaiting: "page",
      impact: "The processor's events are not applied: balances and KYC outcomes lag behind the network.",
    });
    new CfnOutput(this, "ProcessorQueueUrl", { value: queue.queueUrl });
    addPlatformAlarms({ settings, alarms, processor });
    addNumberAlarms(alarms, settings.name);
    return queue;
  }
}
