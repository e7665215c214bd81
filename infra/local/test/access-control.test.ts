import { describe, expect, it } from "vitest";
import { AccessControl, toAccessKey } from "../access/access-control.ts";
import { decide } from "../access/policy.ts";
import { PolicyDocument, readRules } from "../access/read-policies.ts";
import {
  account,
  allow,
  assemblyWith,
  control,
  decrypt,
  dynamo,
  keyArn,
  region,
  tableArn,
  viaDynamo,
} from "./given-role.ts";
import { arnOf, resource } from "./given-template.ts";

describe("a policy", () => {
  const decideOn = (statements: object[], action: string, on: string, context = {}) =>
    decide(PolicyDocument.parse({ Version: "2012-10-17", Statement: statements }).Statement, {
      action,
      resource: on,
      context,
    }).allowed;

  it("allows the named actions in any case, and nothing else", () => {
    const statements = [allow("dynamodb:GetItem", tableArn)];
    expect(decideOn(statements, "dynamodb:GetItem", tableArn)).toBe(true);
    expect(decideOn(statements, "dynamodb:getitem", tableArn)).toBe(true);
    expect(decideOn(statements, "dynamodb:GetItems", tableArn)).toBe(false);
    expect(decideOn(statements, "dynamodb:GetItem", `${tableArn}/index/a`)).toBe(false);
  });

  it("has wildcards for any characters and for one, and takes all others as they are", () => {
    expect(decideOn([allow("dynamodb:Get*", "arn:?:x.y")], "dynamodb:GetItem", "arn:a:x.y")).toBe(true);
    expect(decideOn([allow("dynamodb:Get*", "arn:?:x.y")], "dynamodb:GetItem", "arn:a:xzy")).toBe(false);
    expect(decideOn([allow("*", "*")], "kms:Sign", keyArn)).toBe(true);
  });

  it("requires every condition", () => {
    const statements = [allow("kms:Decrypt", keyArn, viaDynamo)];
    expect(
      decideOn(statements, "kms:Decrypt", keyArn, { "kms:ViaService": "dynamodb.eu-west-1.amazonaws.com" }),
    ).toBe(true);
    expect(
      decideOn(statements, "kms:Decrypt", keyArn, { "kms:ViaService": "s3.eu-west-1.amazonaws.com" }),
    ).toBe(false);
    expect(decideOn(statements, "kms:Decrypt", keyArn)).toBe(false);
  });

  it("treats a negated condition as true if the value is absent", () => {
    const denied = { ...allow("*", "*", { StringNotEquals: { "aws:PrincipalArn": "me" } }), Effect: "Deny" };
    const statements = [allow("*", "*"), denied];
    expect(decideOn(statements, "kms:Sign", keyArn, { "aws:PrincipalArn": "me" })).toBe(true);
    expect(decideOn(statements, "kms:Sign", keyArn, { "aws:PrincipalArn": "you" })).toBe(false);
    expect(decideOn(statements, "kms:Sign", keyArn)).toBe(false);
  });

  it("forbids what it denies, even if another statement allows it", () => {
    const statements = [allow("*", "*"), { Effect: "Deny", Action: "sqs:*", Resource: "*" }];
    expect(decideOn(statements, "sqs:SendMessage", "queue")).toBe(false);
    expect(decideOn(statements, "kms:Sign", "key")).toBe(true);
  });
});

describe("a call", () => {
  it("of a transaction needs the right of each of its writes", () => {
    const items = {
      TransactItems: [{ Put: { TableName: "issuing" } }, { ConditionCheck: { TableName: "issuing" } }],
    };
    const both = allow(["dynamodb:PutItem", "dynamodb:ConditionCheckItem"], tableArn);
    expect(() => control(both, decrypt).call(dynamo("TransactWriteItems"), items)).not.toThrow();
    const one = allow("dynamodb:PutItem", tableArn);
    expect(() => control(one, decrypt).call(dynamo("TransactWriteItems"), items)).toThrow(
      "dynamodb:ConditionCheckItem",
    );
  });

  it("puts items only into the partitions that the right names", () => {
    const only = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["*#AUDIT"] } };
    const { call } = control(allow("dynamodb:PutItem", tableArn, only), decrypt);
    const put = (pk: string) => ({ TableName: "issuing", Item: { pk: { S: pk } } });
    expect(() => call(dynamo("PutItem"), put("tnt_1#AUDIT"))).not.toThrow();
    expect(() => call(dynamo("PutItem"), put("KEY#1"))).toThrow("dynamodb:PutItem");
    const both = { TransactItems: [{ Put: put("tnt_1#AUDIT") }, { Put: put("tnt_1") }] };
    expect(() => call(dynamo("TransactWriteItems"), both)).toThrow("dynamodb:PutItem");
  });

  it("of an index needs the right on that index", () => {
    const query = { TableName: "issuing", IndexName: "by-due" };
    const { call } = control(allow("dynamodb:Query", tableArn), decrypt);
    expect(() => call(dynamo("Query"), query)).toThrow(`on resource: ${tableArn}/index/by-due`);
    const granted = control(allow("dynamodb:Query", `${tableArn}/index/by-due`), decrypt);
    expect(() => granted.call(dynamo("Query"), query)).not.toThrow();
  });

  it("of a table with a customer's key needs that key, by way of DynamoDB alone", () => {
    const read = allow("dynamodb:GetItem", tableArn);
    const get = { TableName: tableArn };
    expect(() => control(read).call(dynamo("GetItem"), get)).toThrow("kms:Decrypt");
    const elsewhere = allow("kms:Decrypt", keyArn, {
      StringEquals: { "kms:ViaService": "s3.amazonaws.com" },
    });
    expect(() => control(read, elsewhere).call(dynamo("GetItem"), get)).toThrow("kms:Decrypt");
  });

  it.each([
    [
      "AmazonSQS.SendMessageBatch",
      { QueueUrl: "http://127.0.0.1:1/000000000000/work" },
      "sqs:SendMessage",
      "sqs",
      "work",
    ],
    [
      "AWSEvents.PutEvents",
      { Entries: [{ EventBusName: "bus" }] },
      "events:PutEvents",
      "events",
      "event-bus/bus",
    ],
  ])("%s needs its right", (target, body, action, service, name) => {
    const arn = `arn:aws:${service}:${region}:${account}:${name}`;
    expect(() => control(allow(action, arn)).call(target, body)).not.toThrow();
    expect(() => control(allow(action, `${arn}x`)).call(target, body)).toThrow(
      `perform: ${action} on resource: ${arn}`,
    );
  });

  it("of a key needs the algorithm that is granted, and that the key's own policy does not deny it", () => {
    const algorithm = { StringEquals: { "kms:SigningAlgorithm": "ECDSA_SHA_256" } };
    const sign = (SigningAlgorithm: string, ...denials: object[]) => {
      const assembly = assemblyWith(allow("kms:Sign", keyArn, algorithm));
      const KeyPolicy = { Version: "2012-10-17", Statement: denials };
      assembly.resources.push(resource("AWS::KMS::Key", "data", keyArn, { KeyPolicy }));
      const access = new AccessControl(readRules(assembly), { record: () => undefined });
      const body = { KeyId: keyArn, SigningAlgorithm };
      access.check(toAccessKey("cards"), { method: "POST", path: "/", target: "TrentService.Sign", body });
    };
    const onlyOthers = {
      Effect: "Deny",
      Principal: { AWS: "*" },
      Action: "kms:Sign",
      Resource: "*",
      Condition: { StringNotEquals: { "aws:PrincipalArn": `arn:aws:iam::${account}:role/other` } },
    };
    expect(() => sign("ECDSA_SHA_256")).not.toThrow();
    expect(() => sign("RSASSA_PSS_SHA_256")).toThrow("kms:Sign");
    expect(() => sign("ECDSA_SHA_256", onlyOthers)).toThrow("explicit deny");
  });

  it("of a table and its indexes is denied if the table's own policy denies it, whatever the role may do", () => {
    const read = ["dynamodb:GetItem", "dynamodb:Query"];
    const index = `${tableArn}/index/by-due`;
    const callAs = (servedRole: string) => {
      const assembly = assemblyWith(allow(read, [tableArn, index]), decrypt);
      const Condition = { StringNotEquals: { "aws:PrincipalArn": servedRole } };
      const Statement = { Effect: "Deny", Principal: { AWS: "*" }, Action: read, Resource: "*", Condition };
      const PolicyDocument = { Version: "2012-10-17", Statement: [Statement] };
      const [table] = assembly.ofType("AWS::DynamoDB::GlobalTable");
      Object.assign(table?.properties ?? {}, {
        Replicas: [{ Region: region, ResourcePolicy: { PolicyDocument } }],
      });
      const access = new AccessControl(readRules(assembly), { record: () => undefined });
      const call = { method: "POST", path: "/" };
      return (operation: string, body: object) => () =>
        access.check(toAccessKey("cards"), {
          ...call,
          target: dynamo(operation),
          body: { TableName: "issuing", ...body },
        });
    };
    const served = callAs(arnOf("AWS::IAM::Role", "cards-role"));
    const other = callAs(arnOf("AWS::IAM::Role", "vault-role"));
    for (const [operation, body] of [
      ["GetItem", {}],
      ["Query", { IndexName: "by-due" }],
      ["TransactGetItems", { TransactItems: [{ Get: { TableName: "issuing" } }] }],
    ] as const) {
      expect(served(operation, body), operation).not.toThrow();
      expect(other(operation, body), operation).toThrow("explicit deny");
    }
  });

  it("is denied in a region in which a managed policy denies it, whatever else the role may do", () => {
    const putFrom = (written: string) => {
      const assembly = assemblyWith(allow("dynamodb:*", tableArn), decrypt);
      const Condition = { StringNotEquals: { "aws:RequestedRegion": written } };
      const Statement = [{ Effect: "Deny", Action: "dynamodb:PutItem", Resource: "*", Condition }];
      const arn = `arn:aws:iam::${account}:policy/writes`;
      const PolicyDocument = { Version: "2012-10-17", Statement };
      const policy = resource("AWS::IAM::ManagedPolicy", "writes", arn, { PolicyDocument });
      const [role] = assembly.ofType("AWS::IAM::Role");
      Object.assign(role?.properties ?? {}, { ManagedPolicyArns: [arn] });
      expect(() => readRules(assembly)).toThrow("not in the template");
      assembly.resources.push(policy);
      const access = new AccessControl(readRules(assembly), { record: () => undefined });
      const call = { method: "POST", path: "/", target: dynamo("PutItem"), body: { TableName: "issuing" } };
      return () => access.check(toAccessKey("cards"), call);
    };
    expect(putFrom(region)).not.toThrow();
    expect(putFrom("eu-central-1")).toThrow("explicit deny");
  });

  it("that is allowed from one function needs that function", () => {
    const from = (name: string) => {
      const source = arnOf("AWS::Lambda::Function", name);
      return control(allow("events:PutEvents", "*", { ArnEquals: { "lambda:SourceFunctionArn": source } }));
    };
    const events = { Entries: [{ EventBusName: "bus" }] };
    expect(() => from("cards").call("AWSEvents.PutEvents", events)).not.toThrow();
    expect(() => from("vault").call("AWSEvents.PutEvents", events)).toThrow("not authorized");
  });

  it("that sends an email needs the identity and the sender's address", () => {
    const arn = `arn:aws:ses:${region}:${account}:identity/example.com`;
    const own = allow("ses:SendEmail", arn, { StringEquals: { "ses:FromAddress": "notices@example.com" } });
    const send = (FromEmailAddress: string) =>
      control(own).call("", { FromEmailAddress }, { path: "/v2/email/outbound-emails", target: undefined });
    expect(() => send("notices@example.com")).not.toThrow();
    expect(() => send("boss@example.com")).toThrow("ses:SendEmail");
  });

  it("of a function's alias needs the right to that alias, which is none to the function", () => {
    const arn = arnOf("AWS::Lambda::Function", "vault");
    const { call, needed } = control(allow("lambda:InvokeFunction", `${arn}:cards`));
    const invoke = (name: string) =>
      call(
        "",
        {},
        { path: `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, target: undefined },
      );
    for (const name of ["vault:cards", `${arn}:cards`]) expect(() => invoke(name)).not.toThrow();
    expect(needed).toMatchObject([{ functionName: "cards", resource: `${arn}:cards` }]);
    for (const name of ["vault", arn, "vault:network", `${arn}:network`, "vault:$LATEST", "vault:unknown"])
      expect(() => invoke(name), name).toThrow("not authorized");
    const whole = control(allow("lambda:InvokeFunction", arn));
    expect(() =>
      whole.call("", {}, { path: "/2015-03-31/functions/vault%3Acards/invocations", target: undefined }),
    ).toThrow("not authorized");
  });

  it("with an unknown action or unknown credentials is denied", () => {
    const { access, call } = control(allow("*", "*"));
    expect(() => call("Kinesis.PutRecord")).toThrow("unknown permissions");
    const get = { method: "POST", path: "/", target: dynamo("GetItem"), body: { TableName: "issuing" } };
    expect(() => access.check("local", get)).toThrow("security token");
    expect(() => access.check(toAccessKey("wallets"), get)).toThrow("security token");
  });

  it("that is denied gets AWS's error and is in the trace", () => {
    const { call, trace } = control();
    expect(() => call(dynamo("GetItem"), { TableName: "issuing" })).toThrow(
      `User: arn:aws:sts::${account}:assumed-role/cards-role/cards is not authorized to perform: dynamodb:GetItem on resource: ${tableArn} because no identity-based policy allows the dynamodb:GetItem action`,
    );
    expect(trace).toEqual([
      { kind: "access-denied", name: "cards", detail: { action: "dynamodb:GetItem", resource: tableArn } },
    ]);
  });
});

it.each(["IpAddress", "StringLike"])(
  "a template with a condition that is not known here is refused: %s",
  (operator) => {
    const condition = { [operator]: { "aws:SourceIp": "10.0.0.0/8" } };
    expect(() => control(allow("*", "*", condition))).toThrow(`the condition ${operator} is not known`);
  },
);
