import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames, readSettings, Settings } from "../../infra/environments.ts";
import { jobKinds, notifyingKinds, publishedKinds, toldItems } from "../../shared/contract/outbox.ts";
import { outsideDetails } from "../../shared/contract/outside.ts";
import { resource, resourcesOf, synthesized } from "./synthesized.ts";

describe.each(environmentNames)("messaging of %s", (name) => {
  const { data, messaging } = synthesized(name);

  test("outbox relay: receives new items that are or carry an event, and those that are told of, and isolates a failing record into the dead-letter queue", () => {
    const [, mapping] = resource(messaging, "AWS::Lambda::EventSourceMapping", "OutboxRelayFunctionStream");
    const told = toldItems.map((sk) => (sk.endsWith("#") ? { prefix: sk } : sk));
    const [queue] = resource(messaging, "AWS::SQS::Queue", "OutboxRelayGivenUp");
    expect(mapping.Properties).toMatchObject({
      DestinationConfig: { OnFailure: { Destination: { "Fn::GetAtt": [queue, "Arn"] } } },
    });
    expect(
      mapping.Properties.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
        JSON.parse(Pattern),
      ),
    ).toEqual([
      ...[{ sk: { S: ["OUTBOX"] } }, { outbox: { BOOL: [{ exists: true }] } }].map((NewImage) => ({
        eventName: ["INSERT"],
        dynamodb: { NewImage },
      })),
      { eventName: ["INSERT", "MODIFY"], dynamodb: { NewImage: { sk: { S: told } } } },
    ]);
    const prefix = { prefix: "TRANSFER#" };
    expect(told).toEqual(expect.arrayContaining(["CARD", "HOLD", "WALLET", prefix]));
    const { OutputName } = mapping.Properties.EventSourceArn["Fn::GetStackOutput"];
    const [issuingTable] = resource(data, "AWS::DynamoDB::GlobalTable", "IssuingTable");
    expect(data.toJSON().Outputs[OutputName].Value).toEqual({ "Fn::GetAtt": [issuingTable, "StreamArn"] });
  });

  test("alerts go from the bus to their own queue, and emails come from one address", () => {
    const [queueId] = resource(messaging, "AWS::SQS::Queue", "AlertDeliveryQueue");
    const [deadLetters] = resource(messaging, "AWS::SQS::Queue", "AlertDeliveryDeadLetters");
    messaging.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { "detail-type": ["otp.challenged", "certificate.expiring", "webhook.disabled"] },
      Targets: [
        {
          Arn: { "Fn::GetAtt": [queueId, "Arn"] },
          DeadLetterConfig: { Arn: { "Fn::GetAtt": [deadLetters, "Arn"] } },
        },
      ],
    });
    const { senderAddress, account, region } = readSettings(name);
    messaging.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: "ses:SendEmail",
            Condition: { StringEquals: { "ses:FromAddress": senderAddress } },
            // Of an address that is verified itself SES asks for the right to that identity, not to
            // its domain's.
            Resource: [senderAddress, senderAddress.split("@")[1]]
              .toSorted()
              .map((identity) => `arn:aws:ses:${region}:${account}:identity/${identity}`),
          }),
        ]),
      },
    });
  });

  test("what waits for somebody outside goes to a queue that only the deployer's consumer reads", () => {
    const [queueId, queue] = resource(messaging, "AWS::SQS::Queue", "OutsideQueue");
    const [deadLetters] = resource(messaging, "AWS::SQS::Queue", "OutsideDeadLetters");
    expect(queue.Properties).toMatchObject({
      RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": [deadLetters, "Arn"] }, maxReceiveCount: 5 },
    });
    messaging.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { "detail-type": Object.keys(outsideDetails) },
      Targets: [
        {
          Arn: { "Fn::GetAtt": [queueId, "Arn"] },
          DeadLetterConfig: { Arn: { "Fn::GetAtt": [deadLetters, "Arn"] } },
        },
      ],
    });
    const grants = JSON.stringify(resourcesOf(messaging, "AWS::IAM::Policy"));
    expect(grants).not.toContain(queueId);
  });

  test("a deadline that keeps failing is counted", () => {
    messaging.hasResourceProperties("AWS::Logs::MetricFilter", {
      FilterPattern: '{ ($.message = "The deadline failed.") && ($.failures >= 3) }',
    });
  });

  test("processor's events: failures are retried for over an hour", () => {
    const [queueId, queue] = resource(messaging, "AWS::SQS::Queue", "ProcessorEventsQueue");
    const [deadLetters] = resource(messaging, "AWS::SQS::Queue", "ProcessorEventsDeadLetters");
    messaging.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: { "Fn::GetAtt": [queueId, "Arn"] },
      ScalingConfig: { MaximumConcurrency: readSettings(name).queueConcurrency },
    });
    expect(queue.Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: { "Fn::GetAtt": [deadLetters, "Arn"] },
      maxReceiveCount: 25,
    });
    // A deposit for an unknown account goes to suspense after an hour: it must still be in the
    // queue then.
    expect((25 - 1) * queue.Properties.VisibilityTimeout).toBeGreaterThan(3_600);
  });

  test("processor's events have reserved concurrency if the settings say so, enough for the queue", () => {
    const [, { Properties }] = resource(messaging, "AWS::Lambda::Function", "ProcessorEventsFunction");
    const settings = readSettings(name);
    expect(Properties.ReservedConcurrentExecutions === undefined).toBe(name === "local");
    const concurrency = { "processor-events": { reserved: settings.queueConcurrency - 1 } };
    expect(Settings.safeParse({ ...settings, concurrency }).success).toBe(false);
  });

  test("a message becomes visible again only after the run that received it has ended", () => {
    const [, queue] = resource(messaging, "AWS::SQS::Queue", "ProcessorEventsQueue");
    const [, consumer] = resource(messaging, "AWS::Lambda::Function", "ProcessorEventsFunction");
    expect(queue.Properties.VisibilityTimeout).toBe(6 * consumer.Properties.Timeout);
  });

  test("alerts: the sender's queue gets of a review its ids alone, and no dead letter with the applicant", () => {
    const [queueId] = resource(messaging, "AWS::SQS::Queue", "AlertDeliveryQueue");
    const [deadLettersId] = resource(messaging, "AWS::SQS::Queue", "OutsideDeadLetters");
    const [rule] = resourcesOf(messaging, "AWS::Events::Rule")
      .map(([, { Properties }]) => Properties)
      .filter(({ EventPattern, Targets }) => {
        const isOfReviews = EventPattern?.["detail-type"]?.includes("kyc.requested");
        return isOfReviews && Targets[0].Arn["Fn::GetAtt"][0] === queueId;
      });
    const { InputTransformer, DeadLetterConfig } = rule.Targets[0];
    const names = ["eventId", "kind", "programId", "cardholderId", "sessionId", "cause.requestId"];
    expect(Object.values(InputTransformer.InputPathsMap).toSorted()).toEqual(
      names.map((name) => `$.detail.${name}`).toSorted(),
    );
    expect(DeadLetterConfig.Arn).toEqual({ "Fn::GetAtt": [deadLettersId, "Arn"] });
  });

  test("deadlines: one sweep a minute, never retried", () => {
    const [functionId] = resource(messaging, "AWS::Lambda::Function", "DeadlinesFunction");
    messaging.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(1 minute)",
      State: "ENABLED",
      Targets: [
        Match.objectLike({
          Arn: { "Fn::GetAtt": [functionId, "Arn"] },
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 0 },
        }),
      ],
    });
    messaging.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      FunctionName: { Ref: functionId },
      MaximumRetryAttempts: 0,
    });
  });

  test("callbacks: each kind of event with notifications has its rule to the fan-out", () => {
    const [queueId] = resource(messaging, "AWS::SQS::Queue", "WebhookFanoutQueue");
    const [deadLetters] = resource(messaging, "AWS::SQS::Queue", "WebhookFanoutDeadLetters");
    const toFanOut = resourcesOf(messaging, "AWS::Events::Rule").filter(
      ([, { Properties }]) => Properties.Targets[0].Arn["Fn::GetAtt"][0] === queueId,
    );
    const patterns = toFanOut.map(([, { Properties }]) => Properties.EventPattern);
    expect(patterns.flatMap((pattern) => pattern["detail-type"]).toSorted()).toEqual([
      "card.debt_settled",
      "card.swept",
      "deposit.cleared",
      "deposit.pending",
      "deposit.returned",
      "fee.posted",
      "hold.placed",
      "notification.resent",
      "notifications.replayed",
      "transaction.posted",
      "transfer.completed",
    ]);
    for (const pattern of patterns) {
      if (pattern["detail-type"][0] === "notifications.replayed") continue;
      expect(pattern.detail).toEqual({ detail: { notificationIds: [{ exists: true }] } });
    }
    for (const [, { Properties }] of toFanOut) {
      expect(Properties.Targets[0].DeadLetterConfig.Arn).toEqual({ "Fn::GetAtt": [deadLetters, "Arn"] });
    }
  });

  test("jobs: each kind has its way to a queue that no notification is in, and a dead letter if it does not get there", () => {
    const [queueId] = resource(messaging, "AWS::SQS::Queue", "BackgroundJobsQueue");
    const [deadLetters] = resource(messaging, "AWS::SQS::Queue", "BackgroundJobsDeadLetters");
    const rules = resourcesOf(messaging, "AWS::Events::Rule").map(([, { Properties }]) => Properties);
    const toJobs = rules.filter(({ Targets }) => Targets[0].Arn["Fn::GetAtt"][0] === queueId);
    expect(toJobs.map(({ EventPattern }) => EventPattern)).toEqual([{ "detail-type": [...jobKinds] }]);
    expect(toJobs[0].Targets[0].DeadLetterConfig.Arn).toEqual({ "Fn::GetAtt": [deadLetters, "Arn"] });
    const elsewhere = rules.filter((rule) => !toJobs.includes(rule));
    const others = elsewhere.flatMap(({ EventPattern }) => EventPattern?.["detail-type"] ?? []);
    expect(others.filter((kind) => jobKinds.includes(kind))).toEqual([]);
  });

  test("callbacks: slow endpoints have their own queue and workers, so that dead receivers delay no others", () => {
    for (const queueId of ["CallbackDeliveryQueue", "SlowCallbacksQueue"]) {
      const [id] = resource(messaging, "AWS::SQS::Queue", queueId);
      const mappings = resourcesOf(messaging, "AWS::Lambda::EventSourceMapping").filter(
        ([, { Properties }]) => Properties.EventSourceArn["Fn::GetAtt"]?.[0] === id,
      );
      expect(mappings).toHaveLength(1);
    }
    const senders = resourcesOf(messaging, "AWS::Lambda::Function").filter(
      ([, { Properties }]) => Properties.Environment.Variables.SERVICE_NAME === "callback-delivery",
    );
    expect(senders).toHaveLength(2);
  });

  test("the relay publishes what a rule of the bus takes: of what may have notifications, what it could not fan out", () => {
    const [busId] = resource(messaging, "AWS::Events::EventBus", "EventBus");
    const taken = resourcesOf(messaging, "AWS::Events::Rule")
      .filter(([, { Properties }]) => Properties.EventBusName?.Ref === busId)
      .flatMap(([, { Properties }]) => Properties.EventPattern["detail-type"]);
    expect(new Set(taken)).toEqual(new Set([...publishedKinds, ...notifyingKinds]));
    for (const kind of notifyingKinds) expect(publishedKinds, kind).not.toContain(kind);
  });

  test("each environment has its own bus", () => {
    messaging.hasResourceProperties("AWS::Events::EventBus", { Name: `card-issuing-${name}` });
  });
});
