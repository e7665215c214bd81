import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { resource, resourcesOf, synthesized, templatesIn } from "./synthesized.ts";

/** What stays true of whatever is added to the stacks. */
describe.each(environmentNames)("guardrails of %s", (name) => {
  const templates = synthesized(name);

  test("no role has a wildcard in an action, or in a resource except for X-Ray, steps of aliases, the keys of its usage plans and files", () => {
    const statements = ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"].flatMap((type) =>
      resourcesOf(templates, type).flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement),
    );
    expect(statements.length).toBeGreaterThan(0);
    for (const { Action, Resource } of statements) {
      const actions: string[] = [Action].flat();
      for (const action of actions) expect(action).not.toContain("*");
      // These support no resources, or only those of versions that are not made yet.
      const isWide = /^(xray:|cloudwatch:DescribeAlarms$|lambda:GetProvisionedConcurrencyConfig$)/;
      if (actions.every((action) => isWide.test(action))) continue;
      const named = JSON.stringify(Resource)
        .replaceAll(/(?<=\/usageplans\/",\{"Ref":"\w+"\},"\/keys\/)\*/g, "")
        .replaceAll(
          /(?<="\/(in|progress|reports|statements|ledgers|bulk|report-parts|program-reports|uploads|evidence|journal|out\/bank)\/)\*/g,
          "",
        );
      expect(named).not.toContain("*");
    }
  });

  test("every queue has a dead-letter queue or is one, and requires TLS", () => {
    const queues = resourcesOf(templates, "AWS::SQS::Queue");
    const deadLetterQueues = new Set(
      [
        ...queues.map(([, { Properties }]) => Properties.RedrivePolicy?.deadLetterTargetArn),
        ...resourcesOf(templates, "AWS::Lambda::EventSourceMapping").map(
          ([, { Properties }]) => Properties.DestinationConfig?.OnFailure.Destination,
        ),
      ].map((arn) => arn?.["Fn::GetAtt"][0]),
    );
    const secured = new Set(
      resourcesOf(templates, "AWS::SQS::QueuePolicy")
        .filter(([, { Properties }]) =>
          JSON.stringify(Properties).includes('{"aws:SecureTransport":"false"}'),
        )
        .flatMap(([, { Properties }]) => Properties.Queues.map((queue: { Ref: string }) => queue.Ref)),
    );
    expect(queues.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of queues) {
      expect(Properties.RedrivePolicy !== undefined || deadLetterQueues.has(id), id).toBe(true);
      expect(secured.has(id), id).toBe(true);
    }
  });

  test("every dead-letter queue has an alarm", () => {
    const watched = resourcesOf(templates, "AWS::CloudWatch::Alarm")
      .filter(([, { Properties }]) => Properties.MetricName === "ApproximateNumberOfMessagesVisible")
      .map(([, { Properties }]) => Properties.Dimensions[0].Value["Fn::GetAtt"][0]);
    const deadLetterQueues = resourcesOf(templates, "AWS::SQS::Queue")
      .filter(([, { Properties }]) => Properties.RedrivePolicy === undefined)
      .map(([id]) => id);
    expect(watched.toSorted()).toEqual(deadLetterQueues.toSorted());
  });

  test("every alarm explains its impact", () => {
    const alarms = resourcesOf(templates, "AWS::CloudWatch::Alarm");
    expect(alarms.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of alarms) {
      expect(Properties.AlarmDescription.length, id).toBeGreaterThan(40);
    }
  });

  test.each(["AlarmTopic", "TicketTopic"])("CloudWatch may publish to the %s and use its key", (topic) => {
    const [, policy] = resource(templates, "AWS::SNS::TopicPolicy", topic);
    expect(policy.Properties.PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: "Allow",
        Action: "sns:Publish",
        Principal: { Service: "cloudwatch.amazonaws.com" },
      }),
    );
    const [keyId, key] = resource(templates, "AWS::KMS::Key", "LogKey");
    expect(resource(templates, "AWS::SNS::Topic", topic)[1].Properties.KmsMasterKeyId).toEqual({
      "Fn::GetAtt": [keyId, "Arn"],
    });
    expect(key.Properties.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({
        Action: ["kms:Decrypt", "kms:GenerateDataKey"],
        Principal: { Service: "cloudwatch.amazonaws.com" },
      }),
    );
    const { pageEmail, ticketEmail } = readSettings(name);
    const email = topic === "AlarmTopic" ? pageEmail : ticketEmail;
    const [id] = resource(templates, "AWS::SNS::Topic", topic);
    expect(
      resourcesOf(templates, "AWS::SNS::Subscription")
        .filter(([, { Properties }]) => Properties.TopicArn.Ref === id)
        .map(([, { Properties }]) => Properties.Endpoint),
    ).toEqual(email ? [email] : []);
  });

  test("every log group expires and is encrypted", () => {
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::Logs::LogGroup")) {
      expect(Properties.RetentionInDays, id).toBe(readSettings(name).logRetentionDays);
      expect(Properties.KmsKeyId, id).toBeDefined();
    }
  });

  test("resource policies admit only the account itself, or a service under a condition", () => {
    const documents = [
      ...resourcesOf(templates, "AWS::KMS::Key").map(([, { Properties }]) => Properties.KeyPolicy),
      ...["AWS::SQS::QueuePolicy", "AWS::S3::BucketPolicy", "AWS::SNS::TopicPolicy"].flatMap((type) =>
        resourcesOf(templates, type).map(([, { Properties }]) => Properties.PolicyDocument),
      ),
    ];
    const { account } = readSettings(name);
    const unconditional: string[] = [];
    const sids = new Set(["CopiesToTheOtherAccount", "GrantsToTheOtherAccount"]);
    for (const { Effect, Principal, Condition, Sid } of documents.flatMap(({ Statement }) => Statement)) {
      if (Effect === "Deny") continue;
      // Who copies the backups: the key of backups alone, and only by way of AWS Backup.
      if (sids.has(Sid)) expect(Condition).toBeDefined();
      else if (Principal.Service === undefined)
        expect(Principal).toEqual({ AWS: `arn:aws:iam::${account}:root` });
      else if (Condition === undefined) unconditional.push(Principal.Service);
    }
    // They encrypt what they send to the topics with its key. AWS gives EventBridge's calls of
    // topics and keys nothing that a condition could ask for.
    const toTopics = ["cloudwatch.amazonaws.com", "events.amazonaws.com"];
    expect(unconditional.toSorted()).toEqual([...toTopics, "events.amazonaws.com"]);
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::Lambda::Permission")) {
      expect(Properties.Principal, id).toMatch(/^(apigateway|events)\.amazonaws\.com$/);
      expect(Properties.SourceArn, id).toBeDefined();
    }
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::IAM::Role")) {
      for (const { Principal } of Properties.AssumeRolePolicyDocument.Statement)
        expect(Principal.Service, id).toMatch(/^(lambda|apigateway|backup|codedeploy)\.amazonaws\.com$/);
    }
  });

  test("no bucket is public, all data is encrypted, and dead letters are kept ten days longer than others", () => {
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::S3::Bucket")) {
      expect(Object.values(Properties.PublicAccessBlockConfiguration), id).toEqual([true, true, true, true]);
      expect(Properties.BucketEncryption, id).toBeDefined();
    }
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::SQS::Queue")) {
      // Their age counts from when they were sent first. What waits outside has another's consumer.
      const isLongest = Properties.RedrivePolicy === undefined || Properties.QueueName.endsWith("-outside");
      const MessageRetentionPeriod = (isLongest ? 14 : 4) * 86_400;
      expect(Properties, id).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod });
    }
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::DynamoDB::GlobalTable"))
      expect(Properties.SSESpecification, id).toMatchObject({ SSEEnabled: true, SSEType: "KMS" });
    for (const [id, { Properties }] of resourcesOf(templates, "AWS::SecretsManager::Secret"))
      expect(Properties.KmsKeyId, id).toBeDefined();
  });

  test("the templates contain no secret, and no policy but the second copy's names another account's principal", () => {
    const { secondCopy } = readSettings(name);
    const text = JSON.stringify(templatesIn(templates).map((template) => template.toJSON()));
    expect(text.includes('"SecretString"')).toBe(false);
    const accounts = [...text.matchAll(/arn:aws:[a-z0-9-]+:[a-z0-9-]*:(\d{12}):/g)].map((match) => match[1]);
    const known = [readSettings(name).account, ...(secondCopy ? [secondCopy.account] : [])];
    expect(new Set(accounts)).toEqual(new Set(known));
  });
});

test("production has no resource of the sandbox", () => {
  const templates = templatesIn(synthesized("production")).map((template) => template.toJSON());
  expect(JSON.stringify(templates).toLowerCase()).not.toContain("sandbox");
});

test("only production keeps its logs and messages when a stack is deleted, but for data and vault", () => {
  for (const name of environmentNames) {
    for (const type of ["AWS::Logs::LogGroup", "AWS::SQS::Queue", "AWS::KMS::Key"]) {
      const { data: _, vault: __, ...others } = synthesized(name);
      const policies = Object.values(others)
        .flatMap((template) => resourcesOf(template, type))
        .map(([, { DeletionPolicy }]) => DeletionPolicy);
      expect(new Set(policies)).toEqual(new Set([name === "production" ? "RetainExceptOnCreate" : "Delete"]));
    }
  }
});
