import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { type IEventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory, Reach } from "../function-factory.ts";
import { grantSend } from "../grants.ts";
import type { Severity } from "../operations/alarms.ts";
import type { ServiceFunction } from "../service-function.ts";
import { WorkQueue } from "./work-queue.ts";

export interface CallbacksProps {
  readonly functions: FunctionFactory;
  readonly bus: IEventBus;
  readonly reach: Reach;
  /** Makes deliveries too, so that they need not wait for the bus. */
  readonly relay: ServiceFunction;
}

/** Event kinds that can cause notifications, or request a repetition. */
const notifyingKinds = {
  HoldPlaced: "hold.placed",
  TransactionPosted: "transaction.posted",
  FeePosted: "fee.posted",
  TransferCompleted: "transfer.completed",
  CardSwept: "card.swept",
  CardDebtSettled: "card.debt_settled",
  DepositPending: "deposit.pending",
  DepositCleared: "deposit.cleared",
  DepositReturned: "deposit.returned",
  NotificationResent: "notification.resent",
} as const satisfies Record<string, OutboxEvent["kind"]>;

/**
 * Delivers events to customers' endpoints: one delivery for each, made by the relay or, from the
 * bus, by the fan-out. New, failing and slow endpoints have a queue of their own, so that they
 * delay no others.
 */
export class Callbacks extends Construct {
  /** Far-off retries enter this queue when they are due. */
  readonly slowQueue: Queue;

  constructor(scope: Construct, id: string, { functions, bus, reach, relay }: CallbacksProps) {
    super(scope, id);
    const stack = Stack.of(this);
    // A send takes up to 10 s; endpoint lookup and recording add to it.
    const timeout = Duration.seconds(30);
    const environment = { ...reach };
    const sender = functions.ofPrograms(
      "CallbackDeliveryFunction",
      "callback-delivery",
      "Sends callbacks to customers' endpoints.",
      { timeout, environment },
    );
    const slowSender = functions.ofPrograms(
      "SlowCallbacksFunction",
      "callback-delivery",
      "Sends callbacks to new, failing and slow endpoints.",
      { name: "slow-callbacks", timeout, environment },
    );
    const { settings, alarms } = functions.props;
    const addQueue = (queueId: string, name: string, consumer: ServiceFunction, ifWaiting?: Severity) =>
      new WorkQueue(stack, queueId, {
        queueName: `card-issuing-${settings.name}-${name}`,
        settings,
        alarms,
        concurrency: settings.queueConcurrency,
        impact: "Customers' callbacks are late or missing. Balances and statements are correct.",
        consumer,
        consumerTimeout: timeout,
        ...(ifWaiting && { ifWaiting }),
      });
    const deliveries = addQueue("CallbackDelivery", "callback-delivery", sender, "page");
    const slow = addQueue("SlowCallbacks", "slow-callbacks", slowSender);
    this.slowQueue = slow.queue;
    for (const each of [sender, slowSender]) {
      each.addEnvironment("SLOW_ENDPOINT_QUEUE_URL", slow.queue.queueUrl);
      each.addEnvironment("CALLBACK_DEAD_LETTERS_URL", deliveries.deadLetters.queueUrl);
      grantSend(deliveries.deadLetters, each);
    }
    grantSend(slow.queue, sender);
    slow.allowReturns();
    const fanOut = functions.ofPrograms(
      "WebhookFanoutFunction",
      "webhook-fanout",
      "Makes the deliveries of replays and of what the relay could not fan out.",
      { timeout },
    );
    const events = addQueue("WebhookFanout", "webhook-fanout", fanOut);
    fanOut.addEnvironment("FANOUT_QUEUE_URL", events.queue.queueUrl);
    events.allowReturns();
    for (const each of [relay, fanOut]) {
      each.addEnvironment("CALLBACK_QUEUE_URL", deliveries.queue.queueUrl);
      each.addEnvironment("SLOW_ENDPOINT_QUEUE_URL", slow.queue.queueUrl);
      for (const queue of [deliveries.queue, slow.queue]) grantSend(queue, each);
    }
    this.addRules(bus, events);
    new CfnOutput(stack, "CallbackDeadLettersUrl", { value: deliveries.deadLetters.queueUrl });
  }

  private addRules(eventBus: IEventBus, events: WorkQueue) {
    const targets = [new SqsQueue(events.queue, { deadLetterQueue: events.deadLetters })];
    const detail = {
      isFannedOut: [{ exists: false }],
      detail: { notificationIds: [{ exists: true }] },
    };
    for (const [name, kind] of Object.entries(notifyingKinds)) {
      new Rule(this, name, {
        description: `Sends ${kind} to the fan-out, unless the relay has fanned it out.`,
        eventBus,
        eventPattern: { detailType: [kind], detail },
        targets,
      });
    }
    const replayed: OutboxEvent["kind"] = "notifications.replayed";
    new Rule(this, "NotificationsReplayed", {
      description: "Sends replays to the fan-out.",
      eventBus,
      eventPattern: { detailType: [replayed] },
      targets,
    });
  }
}
