import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { EventField, type IEventBus, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { OutboxEvent, TenantOutboxEvent } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory, Reach } from "../function-factory.ts";
import { grantSend } from "../grants.ts";
import { WorkQueue } from "./work-queue.ts";

export interface AlertsProps {
  readonly functions: FunctionFactory;
  readonly bus: IEventBus;
  readonly reach: Reach;
  /** Takes events with personal data that the bus cannot deliver. */
  readonly personalDeadLetters: Queue;
}

const otpChallenged: OutboxEvent["kind"] = "otp.challenged";
const webhookDisabled: OutboxEvent["kind"] = "webhook.disabled";
const kycRequested: OutboxEvent["kind"] = "kyc.requested";
const certificateExpiring: TenantOutboxEvent["kind"] = "certificate.expiring";

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

/** Each event has one receiver, so it goes from the bus directly to the sender's queue. */
export class Alerts extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { functions, bus, reach, personalDeadLetters }: AlertsProps) {
    super(scope, id);
    const { settings, alarms } = functions.props;
    // A send takes up to 10 s; endpoint lookup and recording add to it.
    const timeout = Duration.seconds(30);
    const sender = functions.bySettings(
      "AlertDeliveryFunction",
      "alert-delivery",
      "Alerts customers to passcodes, expiring certificates and disabled endpoints.",
      { timeout, environment: { ...reach, SENDER_ADDRESS: settings.senderAddress } },
    );
    const alerts = new WorkQueue(Stack.of(this), "AlertDelivery", {
      queueName: `card-issuing-${settings.name}-alert-delivery`,
      settings,
      alarms,
      consumer: sender,
      consumerTimeout: timeout,
      concurrency: settings.queueConcurrency,
      ifWaiting: "page",
      impact: "Cardholders wait for their passcodes, or Tenants miss reminders of expiring certificates.",
    });
    this.queue = alerts.queue;
    sender.addEnvironment("ALERT_QUEUE_URL", alerts.queue.queueUrl);
    sender.addEnvironment("ALERT_DEAD_LETTERS_URL", alerts.deadLetters.queueUrl);
    alerts.allowReturns();
    grantSend(alerts.deadLetters, sender);
    this.allowEmail(sender, settings.senderAddress);

    const whole = new SqsQueue(alerts.queue, { deadLetterQueue: alerts.deadLetters });
    const ids = new SqsQueue(alerts.queue, { deadLetterQueue: personalDeadLetters, message: idsOfReview });
    for (const [name, kind, target] of [
      ["OtpChallenged", otpChallenged, whole],
      ["KycRequested", kycRequested, ids],
      ["CertificateExpiring", certificateExpiring, whole],
      ["WebhookDisabled", webhookDisabled, whole],
    ] as const) {
      new Rule(this, name, {
        description: `Sends ${kind} to the alert delivery.`,
        eventBus: bus,
        eventPattern: { detailType: [kind] },
        targets: [target],
      });
    }
    new CfnOutput(Stack.of(this), "AlertDeadLettersUrl", { value: alerts.deadLetters.queueUrl });
  }

  /** SES checks the address if it is verified, otherwise its domain. */
  private allowEmail(sender: ReturnType<FunctionFactory["plain"]>, address: string) {
    const identities = [address, address.slice(address.indexOf("@") + 1)];
    sender.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ["ses:SendEmail"],
        resources: identities.map((resourceName) =>
          Stack.of(this).formatArn({ service: "ses", resource: "identity", resourceName }),
        ),
        conditions: { StringEquals: { "ses:FromAddress": address } },
      }),
    );
  }
}
