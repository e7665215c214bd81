import { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { createNetworkApp, networkName } from "../../infra/app.ts";

const template = Template.fromStack(
  createNetworkApp({ checked: false }).node.findChild(networkName) as never,
);

test("the listener has no way to the internet, and its load balancer none from there", () => {
  template.resourceCountIs("AWS::EC2::InternetGateway", 0);
  template.resourceCountIs("AWS::EC2::NatGateway", 0);
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", {
    Scheme: "internal",
    Type: "network",
  });
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::Listener", { Protocol: "TLS", Port: 8583 });
});

test("the listener may invoke two functions, keep what it refuses, read the adapter of a connection, and nothing else", () => {
  const policies = Object.values(template.findResources("AWS::IAM::Policy"));
  const ofTask = policies.find(({ Properties }) => /TaskRole/.test(JSON.stringify(Properties.Roles)));
  const statements = ofTask?.Properties.PolicyDocument.Statement as {
    Action: string | string[];
    Resource: unknown;
  }[];
  expect(statements.map(({ Action }) => Action)).toEqual([
    "lambda:InvokeFunction",
    "dynamodb:PutItem",
    "dynamodb:GetItem",
    ["kms:Decrypt", "kms:GenerateDataKey"],
  ]);
  expect(statements[2]).toMatchObject({
    Condition: {
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "adapter"] },
      Null: { "dynamodb:Attributes": "false" },
    },
  });
  expect(JSON.stringify(statements)).not.toContain('"Resource":"*"');
});
