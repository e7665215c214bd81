import {
  ArnFormat,
  CfnOutput,
  CfnParameter,
  Duration,
  RemovalPolicy,
  Stack,
  type StackProps,
} from "aws-cdk-lib";
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  type ISecurityGroup,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { Platform } from "aws-cdk-lib/aws-ecr-assets";
import {
  Cluster,
  ContainerImage,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LogDriver,
} from "aws-cdk-lib/aws-ecs";
import {
  ListenerCertificate,
  NetworkLoadBalancer,
  Protocol,
  SslPolicy,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import { Effect, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import { writeListenerImage } from "../constructs/listener-image.ts";
import { processorFunctionName, vaultFunctionName } from "../constructs/names.ts";

const listenPort = 8583;

/**
 * The listener for a card network's messages, behind a load balancer that only a private network
 * reaches. No environment needs it; its parameters name the one that it serves.
 */
export class NetworkStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const parameter = (name: string, description: string, more: object = {}) =>
      new CfnParameter(this, name, { description, ...more }).valueAsString;
    const environmentName = parameter("EnvironmentName", "The environment that answers the messages.");
    const issuingTable = parameter("IssuingTable", "Stack output IssuingTableName of its data stack.");
    const accountsTable = parameter("AccountsTable", "Stack output AccountsTableName of its data stack.");
    const dataKeyArn = parameter("DataKeyArn", "The key of these tables.");
    const source = parameter("NetworkCidr", "The addresses from which the card network connects.");
    const dialect = parameter("Dialect", "The dialect of its messages.", {
      allowedValues: ["default", "mastercard", "visa"],
    });
    const messages = parameter("MessagesInFlight", "So many messages are under way at once in a listener.", {
      type: "Number",
      default: 256,
      minValue: 1,
    });
    const certificate = parameter("CertificateArn", "The certificate of the load balancer, in ACM.");

    const logKey = this.addLogKey();
    const logGroup = (name: string) =>
      new LogGroup(this, name, {
        encryptionKey: logKey,
        retention: RetentionDays.THIRTEEN_MONTHS,
        removalPolicy: RemovalPolicy.RETAIN,
      });
    const vpc = this.addVpc(logGroup("FlowLog"));
    const task = new FargateTaskDefinition(this, "Task", {
      cpu: 512,
      memoryLimitMiB: 1024,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64 },
    });
    task.addContainer("Listener", {
      image: ContainerImage.fromAsset(writeListenerImage(), { platform: Platform.LINUX_ARM64 }),
      portMappings: [{ containerPort: listenPort }],
      logging: LogDriver.awsLogs({ logGroup: logGroup("ListenerLog"), streamPrefix: "listener" }),
      readonlyRootFilesystem: true,
      // Longer than the listener waits for the messages under way.
      stopTimeout: Duration.seconds(30),
      environment: {
        ENVIRONMENT_NAME: environmentName,
        SERVICE_NAME: "network",
        ISSUING_TABLE: issuingTable,
        ACCOUNTS_TABLE: accountsTable,
        VAULT_FUNCTION: vaultFunctionName(environmentName, "network"),
        PROCESSOR_FUNCTION: processorFunctionName(environmentName),
        NETWORK_HOST: "0.0.0.0",
        NETWORK_PORT: String(listenPort),
        NETWORK_DIALECT: dialect,
        NETWORK_MESSAGES: messages,
      },
    });
    this.grantPlatform(task, environmentName, { issuingTable, accountsTable, dataKeyArn });
    this.addService(vpc, task, { source, certificate });
    this.acknowledgeFindings();
  }

  private acknowledgeFindings(): void {
    const group =
      "The rule cannot read the VPC's or the parameter's addresses; one port is open, to private ones.";
    const logs = "The VPC's flow logs have every connection.";
    acknowledge(this, {
      "AwsSolutions-EC23": group,
      "PCI.DSS.321-EC2RestrictedCommonPorts": group,
      "PCI.DSS.321-EC2RestrictedSSH": group,
      "AwsSolutions-ELB2": logs,
      "PCI.DSS.321-ELBLoggingEnabled": logs,
      "AwsSolutions-ECS2": "The container's variables are names and numbers, no secrets.",
      "AwsSolutions-IAM5[Resource::*]": "ECR's authorization token supports no resource-level permission.",
      "PCI.DSS.321-VPCDefaultSecurityGroupClosed":
        "Nothing is in the default group; closing it would take a function that changes groups.",
    });
  }

  private addLogKey(): Key {
    const key = new Key(this, "LogKey", {
      enableKeyRotation: true,
      description: "Encrypts the listener's logs.",
    });
    key.grantEncryptDecrypt(new ServicePrincipal(`logs.${this.region}.amazonaws.com`));
    return key;
  }

  /** Without a way to the internet: what the listener calls has endpoints in the VPC. */
  private addVpc(flowLog: LogGroup): Vpc {
    const vpc = new Vpc(this, "Vpc", {
      maxAzs: 2,
      natGateways: 0,
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [{ name: "listener", subnetType: SubnetType.PRIVATE_ISOLATED }],
      flowLogs: { all: { destination: FlowLogDestination.toCloudWatchLogs(flowLog) } },
      gatewayEndpoints: {
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        S3: { service: GatewayVpcEndpointAwsService.S3 },
      },
    });
    const services = {
      LAMBDA: "Lambda",
      ECR: "Ecr",
      ECR_DOCKER: "EcrDocker",
      CLOUDWATCH_LOGS: "Logs",
    } as const;
    for (const [service, name] of Object.entries(services))
      vpc.addInterfaceEndpoint(name, {
        service: InterfaceVpcEndpointAwsService[service as keyof typeof services],
      });
    return vpc;
  }

  /** It may invoke two functions, keep what it refuses, and read which processor a Program has. */
  private grantPlatform(
    task: FargateTaskDefinition,
    environmentName: string,
    {
      issuingTable,
      accountsTable,
      dataKeyArn,
    }: Record<"issuingTable" | "accountsTable" | "dataKeyArn", string>,
  ): void {
    const table = (resourceName: string) =>
      this.formatArn({ service: "dynamodb", resource: "table", resourceName });
    const allow = (actions: string[], resources: string[], conditions = {}) =>
      task.addToTaskRolePolicy(new PolicyStatement({ effect: Effect.ALLOW, actions, resources, conditions }));
    const functions = [vaultFunctionName(environmentName, "network"), processorFunctionName(environmentName)];
    allow(
      ["lambda:InvokeFunction"],
      functions.map((resourceName) =>
        this.formatArn({
          service: "lambda",
          resource: "function",
          resourceName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ),
    );
    allow(["dynamodb:PutItem"], [table(issuingTable)], {
      "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["DESK#REFUSED"] },
    });
    // A read of a whole item names no attributes.
    allow(["dynamodb:GetItem"], [table(accountsTable)], {
      "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [`${idPrefixes.program}_*`] },
      "ForAllValues:StringEquals": { "dynamodb:Attributes": ["pk", "sk", "adapter"] },
      Null: { "dynamodb:Attributes": "false" },
    });
    allow(["kms:Decrypt", "kms:GenerateDataKey"], [dataKeyArn], {
      StringEquals: { "kms:ViaService": `dynamodb.${this.region}.amazonaws.com` },
    });
  }

  private addService(
    vpc: Vpc,
    task: FargateTaskDefinition,
    { source, certificate }: { readonly source: string; readonly certificate: string },
  ): void {
    const group = (name: string, description: string): ISecurityGroup =>
      new SecurityGroup(this, name, { vpc, description, allowAllOutbound: name === "ListenerGroup" });
    const outer = group("BalancerGroup", "From the card network to the load balancer.");
    const inner = group("ListenerGroup", "From the load balancer to the listener.");
    outer.addIngressRule(Peer.ipv4(source), Port.tcp(listenPort), "The card network");
    outer.addEgressRule(inner, Port.tcp(listenPort), "The listener");
    inner.addIngressRule(outer, Port.tcp(listenPort), "The load balancer");
    const service = new FargateService(this, "Service", {
      cluster: new Cluster(this, "Cluster", { vpc, containerInsightsV2: ContainerInsights.ENABLED }),
      taskDefinition: task,
      desiredCount: 2,
      minHealthyPercent: 100,
      circuitBreaker: { rollback: true },
      securityGroups: [inner],
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    });
    const balancer = new NetworkLoadBalancer(this, "Balancer", {
      vpc,
      internetFacing: false,
      crossZoneEnabled: true,
      deletionProtection: true,
      securityGroups: [outer],
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    });
    balancer
      .addListener("Messages", {
        port: listenPort,
        protocol: Protocol.TLS,
        sslPolicy: SslPolicy.RECOMMENDED_TLS,
        certificates: [ListenerCertificate.fromArn(certificate)],
      })
      .addTargets("Listeners", {
        port: listenPort,
        protocol: Protocol.TCP,
        targets: [service],
        deregistrationDelay: Duration.seconds(30),
      });
    new CfnOutput(this, "NetworkAddress", { value: `${balancer.loadBalancerDnsName}:${listenPort}` });
  }
}
