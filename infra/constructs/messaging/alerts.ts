import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { EventField, type IEventBus, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { alertKinds } from "../../../shared/contract/outbox.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantSend } from "../grants.ts";
import type { ServiceFunction } from "../service-function.ts";
import { WorkQueue } from "./work-queue.ts";

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
  const sender = functions.bySettings(
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
  sender.addEnvironment("ALERT_DEAD_LETTERS_URL", deadLetters.queueUrl);
  grantSend(deadLetters, sender);
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
