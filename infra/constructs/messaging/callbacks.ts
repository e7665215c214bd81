import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { EventField, type IEventBus, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { type alertKinds, notifyingKinds, type OutboxEvent } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantQueue } from "../grants.ts";
import type { Severity } from "../operations/alarms.ts";
import type { ServiceFunction } from "../service-function.ts";
import { WorkQueue } from "./work-queue.ts";

/**
 * Delivers events to customers' endpoints: one delivery for each, made by the relay, which waits
 * for no bus, or, from the bus, by the fan-out. New, failing and slow endpoints have a queue of
 * their own, so that they delay no others. Returns that queue, which far-off retries enter when
 * they are due.
 */
export function addCallbacks(functions: FunctionFactory, bus: IEventBus, relay: ServiceFunction): Queue {
  const { stack } = functions;
  // A send takes up to 10 s; endpoint lookup and recording add to it.
  const timeout = Duration.seconds(30);
  const { reach: environment } = functions;
  // Nearly all of a run waits for the receiver, and is billed by its memory.
  const memoryMegabytes = 256;
  const sender = functions.make(
    "CallbackDeliveryFunction",
    "callback-delivery",
    "Sends callbacks to customers' endpoints.",
    { timeout, environment, memoryMegabytes },
  );
  const slowSender = functions.make(
    "SlowCallbacksFunction",
    "callback-delivery",
    "Sends callbacks to new, failing and slow endpoints.",
    { name: "slow-callbacks", timeout, environment, memoryMegabytes },
  );
  const impact = "Customers' callbacks are late or missing. Balances and statements are correct.";
  const addQueue = (id: string, name: string, consumer: ServiceFunction, ifWaiting?: Severity) =>
    new WorkQueue(functions, id, { name, consumer, ifWaiting, impact });
  const { queue, deadLetters } = addQueue("CallbackDelivery", "callback-delivery", sender, "page");
  const slow = addQueue("SlowCallbacks", "slow-callbacks", slowSender);
  slow.allowReturns("SLOW_ENDPOINT_QUEUE_URL");
  grantQueue(deadLetters, "CALLBACK_DEAD_LETTERS_URL", sender, slowSender);
  const fanOut = functions.make(
    "WebhookFanoutFunction",
    "webhook-fanout",
    "Makes the deliveries of replays and of what the relay could not fan out.",
    { timeout },
  );
  const events = addQueue("WebhookFanout", "webhook-fanout", fanOut);
  events.allowReturns("FANOUT_QUEUE_URL");
  grantQueue(queue, "CALLBACK_QUEUE_URL", relay, fanOut);
  grantQueue(slow.queue, "SLOW_ENDPOINT_QUEUE_URL", sender, relay, fanOut);
  addRules(new Construct(stack, "Callbacks"), bus, events);
  new CfnOutput(stack, "CallbackDeadLettersUrl", { value: deadLetters.queueUrl });
  return slow.queue;
}

function addRules(scope: Construct, eventBus: IEventBus, { target }: WorkQueue) {
  new Rule(scope, "NotFannedOut", {
    description: "Sends events with notifications that the relay could not fan out to the fan-out.",
    eventBus,
    eventPattern: {
      detailType: [...notifyingKinds],
      detail: { detail: { notificationIds: [{ exists: true }] } },
    },
    targets: [target],
  });
  const replayed: OutboxEvent["kind"] = "notifications.replayed";
  new Rule(scope, "NotificationsReplayed", {
    description: "Sends replays to the fan-out.",
    eventBus,
    eventPattern: { detailType: [replayed] },
    targets: [target],
  });
}

/** Without the applicant, whom the sender reads: queues and dead letters have no personal data. */
const idsOfReview = RuleTargetInput.fromObject({
  detail: {
    ...Object.fromEntries(
      ["eventId", "kind", "programId", "cardholderId", "sessionId"].map((name) => [
        name,
        EventField.fromPath(`$.detail.${name}`),
      ]),
    ),
    cause: { requestId: EventField.fromPath("$.detail.cause.requestId") },
  },
});

/**
 * Each event has one receiver, so it goes from the bus directly to the sender's queue, which this
 * returns. Those with personal data that the bus cannot deliver go to a queue of their own.
 */
export function addAlerts(
  functions: FunctionFactory,
  eventBus: IEventBus,
  personalDeadLetters: Queue,
): Queue {
  const { stack, props } = functions;
  const { senderAddress } = props.settings;
  const sender = functions.make(
    "AlertDeliveryFunction",
    "alert-delivery",
    "Alerts customers to passcodes, expiring certificates and disabled endpoints.",
    {
      // A send takes up to 10 s; endpoint lookup and recording add to it.
      timeout: Duration.seconds(30),
      environment: { ...functions.reach, SENDER_ADDRESS: senderAddress },
    },
  );
  const alerts = new WorkQueue(functions, "AlertDelivery", {
    name: "alert-delivery",
    consumer: sender,
    ifWaiting: "page",
    impact: "Cardholders wait for their passcodes, or Tenants miss reminders of expiring certificates.",
  });
  const { queue, deadLetters, target } = alerts;
  alerts.allowReturns("ALERT_QUEUE_URL");
  grantQueue(deadLetters, "ALERT_DEAD_LETTERS_URL", sender);
  allowEmail(sender, senderAddress);
  const ids = new SqsQueue(queue, { deadLetterQueue: personalDeadLetters, message: idsOfReview });
  const scope = new Construct(stack, "Alerts");
  const add = (id: string, kinds: readonly (typeof alertKinds)[number][], to = target) =>
    new Rule(scope, id, {
      description: `Sends ${kinds.join(", ")} to the alert delivery.`,
      eventBus,
      eventPattern: { detailType: [...kinds] },
      targets: [to],
    });
  add("Whole", ["otp.challenged", "certificate.expiring", "webhook.disabled"]);
  add("KycRequested", ["kyc.requested"], ids);
  new CfnOutput(stack, "AlertDeadLettersUrl", { value: deadLetters.queueUrl });
  return queue;
}

/** SES checks the address if it is verified, otherwise its domain. */
function allowEmail(sender: ServiceFunction, address: string) {
  const identities = [address, address.slice(address.indexOf("@") + 1)];
  sender.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ["ses:SendEmail"],
      resources: identities.map((resourceName) =>
        Stack.of(sender).formatArn({ service: "ses", resource: "identity", resourceName }),
      ),
      conditions: { StringEquals: { "ses:FromAddress": address } },
    }),
  );
}
