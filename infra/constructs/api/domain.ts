import { CfnOutput, Stack } from "aws-cdk-lib";
import { DomainName, EndpointType, type IRestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { CfnApiMapping } from "aws-cdk-lib/aws-apigatewayv2";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayDomain } from "aws-cdk-lib/aws-route53-targets";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { truststoreKey } from "../../../shared/contract/authority.ts";
import type { Host } from "../host.ts";

interface ApiDomainProps {
  readonly host: Host;
  /** Without it, callers need no client certificate. */
  readonly truststore?: IBucket;
  /** Without the S3 version, API Gateway does not notice a changed bundle. */
  readonly truststoreVersion?: string | undefined;
  readonly mappings: Readonly<Record<string, IRestApi>>;
}

export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, props: ApiDomainProps) {
    super(scope, id);
    const { host, truststore, truststoreVersion } = props;
    const domain = new DomainName(this, "Domain", {
      domainName: host.hostName,
      certificate: Certificate.fromCertificateArn(this, "ServerCertificate", host.certificateArn),
      endpointType: EndpointType.REGIONAL,
      // API Gateway supports no mutual TLS with TLS 1.3.
      securityPolicy: SecurityPolicy.TLS_1_2,
      ...(truststore && {
        mtls: {
          bucket: truststore,
          key: truststoreKey,
          ...(truststoreVersion !== undefined && { version: truststoreVersion }),
        },
      }),
    });
    for (const [basePath, api] of Object.entries(props.mappings)) {
      domain.addApiMapping(api.deploymentStage, { basePath });
    }
    // API Gateway rejects concurrent creations.
    domain.node.children
      .filter((one) => one instanceof CfnApiMapping)
      .reduce((previous, mapping) => {
        mapping.addResourceDependency(previous);
        return mapping;
      });
    // What a DNS record of the host leads to, when another region serves.
    const { domainNameAliasDomainName: name, domainNameAliasHostedZoneId: zoneId } = domain;
    new CfnOutput(Stack.of(this), `${id}Target`, { value: `${name} ${zoneId}` });
    if (host.hostedZone !== undefined) {
      const zone = HostedZone.fromHostedZoneAttributes(this, "Zone", host.hostedZone);
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domain));
      new ARecord(this, "AliasRecord", { zone, recordName: `${host.hostName}.`, target });
    }
  }
}
