import {
  CfnRoute,
  CfnTransitGatewayAttachment,
  CfnVPCGatewayAttachment,
  CfnVPCPeeringConnection,
  CfnVPNGateway,
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  InterfaceVpcEndpointAwsService,
  IpAddresses,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ListenerSettings } from "./listener-settings.ts";

interface ListenerVpcProps {
  readonly settings: ListenerSettings;
  readonly flowLog: ILogGroup;
}

/** Without a way to the internet: what the listener calls has endpoints in the VPC. */
export class ListenerVpc extends Vpc {
  constructor(scope: Construct, id: string, { settings, flowLog }: ListenerVpcProps) {
    super(scope, id, {
      ipAddresses: IpAddresses.cidr(settings.vpcRange),
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
      SECRETS_MANAGER: "Secrets",
    } as const;
    for (const [service, name] of Object.entries(services))
      this.addInterfaceEndpoint(name, {
        service: InterfaceVpcEndpointAwsService[service as keyof typeof services],
      });
    this.attach(settings);
  }

  /** The way back to the card network. Nothing else is routed out of the VPC. */
  private attach({ attachment, sources }: ListenerSettings): void {
    const { target, after } = this.attached(attachment);
    for (const [zone, { routeTable }] of this.isolatedSubnets.entries())
      for (const [index, destinationCidrBlock] of sources.entries()) {
        const { routeTableId } = routeTable;
        const route = new CfnRoute(this, `Route${zone}${index}`, {
          routeTableId,
          destinationCidrBlock,
          ...target,
        });
        route.node.addDependency(after);
      }
  }

  private attached(attachment: ListenerSettings["attachment"]) {
    const { vpcId, isolatedSubnets } = this;
    if ("transitGatewayId" in attachment) {
      const { transitGatewayId } = attachment;
      const subnetIds = isolatedSubnets.map(({ subnetId }) => subnetId);
      const joined = { transitGatewayId, vpcId, subnetIds };
      const after = new CfnTransitGatewayAttachment(this, "TransitAttachment", joined);
      return { target: { transitGatewayId }, after };
    }
    if ("gatewayAsn" in attachment) {
      const { gatewayAsn: amazonSideAsn } = attachment;
      const gateway = new CfnVPNGateway(this, "Gateway", { type: "ipsec.1", amazonSideAsn });
      const joined = { vpcId, vpnGatewayId: gateway.ref };
      return {
        target: { gatewayId: gateway.ref },
        after: new CfnVPCGatewayAttachment(this, "GatewayAttachment", joined),
      };
    }
    const { peerVpcId } = attachment;
    const peering = new CfnVPCPeeringConnection(this, "Peering", { vpcId, peerVpcId });
    return { target: { vpcPeeringConnectionId: peering.ref }, after: peering };
  }
}
