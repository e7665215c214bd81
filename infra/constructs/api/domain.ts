import { DomainName, EndpointType, type IRestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { CfnApiMapping } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayDomain } from "aws-cdk-lib/aws-route53-targets";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { Host } from "../host.ts";

/** Key of the clients' CA bundle in the truststore bucket. */
export const truststoreKey = "clients.pem";

export interface MutualTlsDomainProps {
  readonly host: Host;
  readonly truststoreBucket: IBucket;
  /** S3 version of the CA bundle: without it, the gateway does not notice a changed one. */
  readonly truststoreVersion?: string;
  /** Base path -> API. */
  readonly mappings: Readonly<Record<string, IRestApi>>;
}

/** A host that rejects TLS connections without a certificate of the environment's CAs, and the APIs below it. */
export class MutualTlsDomain extends Construct {
  constructor(scope: Construct, id: string, props: MutualTlsDomainProps) {
    super(scope, id);
    const { host } = props;
    const domain = new DomainName(this, "Domain", {
      domainName: host.hostName,
      certificate: Certificate.fromCertificateArn(this, "ServerCertificate", host.certificateArn),
      endpointType: EndpointType.REGIONAL,
      // The newer policies, with TLS 1.3, cannot do mutual TLS.
      securityPolicy: SecurityPolicy.TLS_1_2,
      mtls: {
        bucket: props.truststoreBucket,
        key: truststoreKey,
        ...(props.truststoreVersion === undefined ? {} : { version: props.truststoreVersion }),
      },
    });
    for (const [basePath, api] of Object.entries(props.mappings)) {
      domain.addApiMapping(api.deploymentStage, { basePath });
    }
    // API Gateway refuses to make two at once.
    domain.node.children
      .filter((one) => one instanceof CfnApiMapping)
      .reduce((previous, mapping) => {
        mapping.addResourceDependency(previous);
        return mapping;
      });
    if (host.hostedZone !== undefined) {
      const zone = HostedZone.fromHostedZoneAttributes(this, "Zone", host.hostedZone);
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      new ARecord(this, "AliasRecord", { zone, recordName: `${host.hostName}.`, target });
    }
  }
}
