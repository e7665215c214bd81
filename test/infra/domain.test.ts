import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames, settingsOf } from "../../infra/environments.ts";
import { resource, resourcesOf, synthesized } from "./synthesized.ts";

describe("domains", () => {
  test.each(environmentNames)(
    "%s: each host is regional, TLS 1.2, and asks for a client certificate",
    (name) => {
      const { service } = synthesized(name);
      const { platformHost, sandboxHost } = settingsOf(name);
      const hosts = [platformHost, ...(sandboxHost ? [sandboxHost] : [])];
      service.resourceCountIs("AWS::ApiGateway::DomainName", hosts.length);
      for (const host of hosts) {
        service.hasResourceProperties("AWS::ApiGateway::DomainName", {
          DomainName: host.hostName,
          RegionalCertificateArn: host.certificateArn,
          EndpointConfiguration: { Types: ["REGIONAL"] },
          SecurityPolicy: "TLS_1_2",
          MutualTlsAuthentication: {
            TruststoreUri: { "Fn::Join": ["", ["s3://", Match.anyValue(), "/clients.pem"]] },
          },
        });
      }
    },
  );

  test.each(["staging", "production"] as const)(
    "%s: the truststore's version is a parameter; without one there are no hosts yet",
    (name) => {
      const { service } = synthesized(name);
      service.allResourcesProperties("AWS::ApiGateway::DomainName", {
        MutualTlsAuthentication: { TruststoreVersion: { Ref: "TruststoreVersion" } },
      });
      service.hasParameter("TruststoreVersion", { Default: "" });
      service.hasCondition("HasTruststore", {
        "Fn::Not": [{ "Fn::Equals": [{ Ref: "TruststoreVersion" }, ""] }],
      });
      for (const type of [
        "AWS::ApiGateway::DomainName",
        "AWS::ApiGatewayV2::ApiMapping",
        "AWS::Route53::RecordSet",
      ]) {
        const made = resourcesOf(service, type);
        expect(made.length).toBeGreaterThan(0);
        for (const [, { Condition }] of made) expect(Condition).toBe("HasTruststore");
      }
    },
  );

  test("local: the hosts are there from the start", () => {
    const { service } = synthesized("local");
    for (const [, { Condition }] of resourcesOf(service, "AWS::ApiGateway::DomainName")) {
      expect(Condition).toBeUndefined();
    }
  });

  test.each(["local", "staging"] as const)(
    "%s: v2 and v2/sandbox on the platform's host, v2 on the sandbox's own",
    (name) => {
      const { service } = synthesized(name);
      const mapping = (domain: string, key: string, api: string) => ({
        DomainName: { Ref: resource(service, "AWS::ApiGateway::DomainName", domain)[0] },
        ApiMappingKey: key,
        ApiId: { Ref: resource(service, "AWS::ApiGateway::RestApi", api)[0] },
        Stage: { Ref: resource(service, "AWS::ApiGateway::Stage", api)[0] },
      });
      expect(
        resourcesOf(service, "AWS::ApiGatewayV2::ApiMapping").map(([, { Properties }]) => Properties),
      ).toEqual([
        mapping("PlatformDomain", "v2", "PlatformApi"),
        mapping("PlatformDomain", "v2/sandbox", "SandboxApi"),
        mapping("SandboxDomain", "v2", "SandboxApi"),
      ]);
    },
  );

  test("production has its alias record, and the platform's API alone", () => {
    const { service } = synthesized("production");
    service.resourceCountIs("AWS::ApiGatewayV2::ApiMapping", 1);
    service.hasResourceProperties("AWS::Route53::RecordSet", {
      Name: "api.card-issuing.example.",
      Type: "A",
      AliasTarget: {
        DNSName: {
          "Fn::GetAtt": [
            resource(service, "AWS::ApiGateway::DomainName", "PlatformDomain")[0],
            "RegionalDomainName",
          ],
        },
      },
    });
  });
});

describe("firewall", () => {
  test.each(environmentNames)(
    "%s: stands before every stage, and its log keeps no key and no path",
    (name) => {
      const { service } = synthesized(name);
      const stages = resourcesOf(service, "AWS::ApiGateway::Stage");
      service.resourceCountIs("AWS::WAFv2::WebACLAssociation", stages.length);
      for (const [stageId] of stages) {
        service.hasResourceProperties("AWS::WAFv2::WebACLAssociation", {
          ResourceArn: { "Fn::Join": ["", Match.arrayWith([{ Ref: stageId }])] },
        });
      }
      service.hasResourceProperties("AWS::WAFv2::LoggingConfiguration", {
        RedactedFields: [{ SingleHeader: { Name: "x-api-key" } }, { UriPath: {} }, { QueryString: {} }],
      });
    },
  );
});
