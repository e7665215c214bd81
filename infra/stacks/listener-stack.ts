import { CfnOutput, Duration, Fn, RemovalPolicy } from "aws-cdk-lib";
import { type ISecurityGroup, Peer, Port, SecurityGroup, SubnetType } from "aws-cdk-lib/aws-ec2";
import {
  AlarmBehavior,
  Cluster,
  ContainerInsights,
  FargateService,
  type FargateTaskDefinition,
} from "aws-cdk-lib/aws-ecs";
import {
  NetworkLoadBalancer,
  NetworkTargetGroup,
  Protocol,
  TargetType,
} from "aws-cdk-lib/aws-elasticloadbalancingv2";
import type { Construct } from "constructs";
import { acknowledge } from "../constructs/acknowledge.ts";
import { addServiceAlarms, addTaskAlarm } from "../constructs/listener/listener-alarms.ts";
import type { ListenerSettings } from "../constructs/listener/listener-settings.ts";
import { healthPort, ListenerTask, listenPort } from "../constructs/listener/listener-task.ts";
import { ListenerVpc } from "../constructs/listener/listener-vpc.ts";
import { OwnLog } from "../constructs/operations/telemetry.ts";
import type { Settings } from "../environments.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

/**
 * The listener for a card network's messages, behind a load balancer that only a private network
 * reaches. TLS ends in the listener, which sees the network's certificate.
 */
export class ListenerStack extends FunctionStack {
  constructor(
    scope: Construct,
    id: string,
    { listener, ...props }: FunctionStackProps & { readonly listener: ListenerSettings },
  ) {
    super(scope, id, props);
    const { settings, data, logKey, alarms } = this.functions.props;
    const flowLog = new OwnLog(this, "FlowLog", settings, logKey);
    const vpc = new ListenerVpc(this, "Vpc", { settings: listener, flowLog });
    const task = new ListenerTask(this, "Task", {
      settings,
      listener,
      data,
      logGroup: new OwnLog(this, "ListenerLog", settings, logKey),
    });
    const groups = this.addGroups(vpc, listener);
    const { balancer, targets } = this.addBalancer(vpc, settings, groups.outer);
    const watched = addServiceAlarms(alarms, {
      environment: settings.name,
      listener,
      balancer,
      targets,
    });
    const services = this.addServices(vpc, task, {
      group: groups.inner,
      targets,
      count: listener.listenersPerZone,
      alarmNames: watched.map(({ alarmName }) => alarmName),
    });
    addTaskAlarm(alarms, services);
    this.acknowledgeFindings();
  }

  /** As CloudFormation finds them: a synthesis asks AWS nothing. */
  override get availabilityZones(): string[] {
    return [0, 1].map((index) => Fn.select(index, Fn.getAzs()));
  }

  private addGroups(vpc: ListenerVpc, { sources }: ListenerSettings) {
    const group = (name: string, description: string): ISecurityGroup =>
      new SecurityGroup(this, name, { vpc, description, allowAllOutbound: name === "ListenerGroup" });
    const outer = group("BalancerGroup", "From the card network to the load balancer.");
    const inner = group("ListenerGroup", "From the load balancer to the listener.");
    for (const source of sources)
      outer.addIngressRule(Peer.ipv4(source), Port.tcp(listenPort), "The card network");
    for (const port of [listenPort, healthPort]) {
      outer.addEgressRule(inner, Port.tcp(port), "The listener");
      inner.addIngressRule(outer, Port.tcp(port), "The load balancer");
    }
    return { outer, inner };
  }

  private addBalancer(vpc: ListenerVpc, settings: Settings, group: ISecurityGroup) {
    const balancer = new NetworkLoadBalancer(this, "Balancer", {
      vpc,
      internetFacing: false,
      crossZoneEnabled: true,
      deletionProtection: settings.removalPolicy !== RemovalPolicy.DESTROY,
      securityGroups: [group],
      vpcSubnets: { subnetType: SubnetType.PRIVATE_ISOLATED },
    });
    const targets = new NetworkTargetGroup(this, "Listeners", {
      vpc,
      port: listenPort,
      protocol: Protocol.TCP,
      targetType: TargetType.IP,
      deregistrationDelay: Duration.seconds(30),
      healthCheck: {
        protocol: Protocol.HTTP,
        port: String(healthPort),
        path: "/",
        interval: Duration.seconds(10),
        timeout: Duration.seconds(5),
        healthyThresholdCount: 3,
        unhealthyThresholdCount: 3,
      },
    });
    balancer.addListener("Messages", {
      port: listenPort,
      protocol: Protocol.TCP,
      defaultTargetGroups: [targets],
    });
    new CfnOutput(this, "ListenerAddress", { value: `${balancer.loadBalancerDnsName}:${listenPort}` });
    return { balancer, targets };
  }

  /**
   * One for each zone, deployed one after the other: the second begins once the first has served
   * for as long as its alarms look back. So half of the network's connections try a new version.
   */
  private addServices(
    vpc: ListenerVpc,
    taskDefinition: FargateTaskDefinition,
    more: {
      readonly group: ISecurityGroup;
      readonly targets: NetworkTargetGroup;
      readonly count: number;
      readonly alarmNames: string[];
    },
  ): FargateService[] {
    const cluster = new Cluster(this, "Cluster", { vpc, containerInsightsV2: ContainerInsights.ENABLED });
    const services = vpc.isolatedSubnets.map((subnet, zone) => {
      const service = new FargateService(this, `Service${zone}`, {
        cluster,
        taskDefinition,
        desiredCount: more.count,
        // A new one serves before an old one stops.
        minHealthyPercent: 100,
        maxHealthyPercent: 200,
        circuitBreaker: { rollback: true },
        deploymentAlarms: { alarmNames: more.alarmNames, behavior: AlarmBehavior.ROLLBACK_ON_ALARM },
        healthCheckGracePeriod: Duration.minutes(2),
        securityGroups: [more.group],
        vpcSubnets: { subnets: [subnet] },
      });
      service.attachToNetworkTargetGroup(more.targets);
      return service;
    });
    for (const [zone, service] of services.slice(1).entries())
      service.node.addDependency(services[zone] as FargateService);
    return services;
  }

  private acknowledgeFindings(): void {
    const logs = "The VPC's flow logs have every connection.";
    const group =
      "The rule cannot read the VPC's range, which an endpoint's group lets in; no group has other sources.";
    acknowledge(this, {
      "PCI.DSS.321-EC2RestrictedCommonPorts": group,
      "PCI.DSS.321-EC2RestrictedSSH": group,
      "PCI.DSS.321-ELBv2ACMCertificateRequired":
        "TLS ends in the listener, which must see the network's certificate.",
      "AwsSolutions-ELB2": logs,
      "PCI.DSS.321-ELBLoggingEnabled": logs,
      "AwsSolutions-EC23": group,
      "AwsSolutions-ECS2": "The container's variables are names and numbers, no secrets.",
      "AwsSolutions-IAM5[Resource::*]": "ECR's authorization token supports no resource-level permission.",
      "PCI.DSS.321-VPCDefaultSecurityGroupClosed":
        "Nothing is in the default group; closing it would take a function that changes groups.",
    });
  }
}
