import { Duration, type Stack } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { grantSend } from "../data-rights.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { addOwnAlarms } from "../operations/own-alarms.ts";
import { output } from "../output.ts";
import type { Reach } from "../reach.ts";
import { Alerts } from "./alerts.ts";
import { Callbacks } from "./callbacks.ts";
import { Deadlines } from "./deadlines.ts";
import { ListIndexer } from "./list-indexer.ts";
import { OutboxRelay } from "./outbox-relay.ts";
import { WorkQueue } from "./work-queue.ts";

/** What moves without a request: events to the bus, the processor's messages, what is due. */
export function addMessaging(stack: Stack, functions: FunctionFactory, reach: Reach) {
  const { settings, data, alarms } = functions.props;
  const { removalPolicy } = settings;
  const bus = new EventBus(stack, "EventBus", { eventBusName: `card-issuing-${settings.name}` });
  output(stack, "EventBusName", bus.eventBusName);

  const relay = functions.plain("OutboxRelayFunction", "outbox-relay", "Puts committed events on the bus.", {
    timeout: Duration.seconds(30),
    environment: { EVENT_BUS_NAME: bus.eventBusName },
  });
  new OutboxRelay(stack, "OutboxRelay", {
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
  new ListIndexer(stack, "ListIndexer", {
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
    { timeout: processorTimeout },
  );
  const processorEvents = new WorkQueue(stack, "ProcessorEvents", {
    queueName: `card-issuing-${settings.name}-processor-events`,
    removalPolicy,
    alarms,
    consumer: processor,
    consumerTimeout: processorTimeout,
    concurrency: settings.queueConcurrency,
    impact: "The processor's events are not applied: balances and KYC outcomes lag behind the network.",
  });
  output(stack, "ProcessorQueueUrl", processorEvents.queue.queueUrl);
  addOwnAlarms({ environment: settings.name, alarms, processor });

  const callbacks = new Callbacks(stack, "Callbacks", { functions, bus, reach });
  const alerts = new Alerts(stack, "Alerts", { functions, bus, reach });

  const sweeper = functions.bySettings("DeadlinesFunction", "deadlines", "Does what is due.", {
    timeout: Duration.seconds(55),
    // Two sweeps at once would only compete for the same rows.
    reservedConcurrency: 1,
    environment: {
      CALLBACK_DETOUR_URL: callbacks.detour.queueUrl,
      ALERT_QUEUE_URL: alerts.queue.queueUrl,
    },
  });
  for (const queue of [callbacks.detour, alerts.queue]) grantSend(queue, sweeper);
  new Deadlines(stack, "Deadlines", { environment: settings.name, alarms, sweeper });
}
