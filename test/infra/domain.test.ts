import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { environmentNames, readSettings, Settings } from "../../infra/environments.ts";
import { askable, askingForAll } from "./given-listener-stack.ts";
import { resolved, resource, resourcesOf, synthesized } from "./synthesized.ts";

describe("domains", () => {
  test.each(environmentNames)(
    "%s: each host is regional and uses TLS 1.2; all but the webhooks' requires a client certificate",
    (name) => {
      const { edge } = synthesized(name);
      const { platformHost, sandboxHost, webhookHost } = readSettings(name);
      const hosts = [platformHost, ...(sandboxHost ? [sandboxHost] : [])];
      edge.resourceCountIs("AWS::ApiGateway::DomainName", hosts.length + 1);
      edge.hasResourceProperties("AWS::ApiGateway::DomainName", {
        DomainName: webhookHost.hostName,
        RegionalCertificateArn: webhookHost.certificateArn,
        EndpointConfiguration: { Types: ["REGIONAL"] },
        SecurityPolicy: "TLS_1_2",
        MutualTlsAuthentication: Match.absent(),
      });
      for (const host of hosts) {
        edge.hasResourceProperties("AWS::ApiGateway::DomainName", {
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
    "%s: the truststore's version is a parameter of the deployment",
    (name) => {
      const { edge } = synthesized(name);
      const domains = resourcesOf(edge, "AWS::ApiGateway::DomainName").filter(
        ([, { Properties }]) => Properties.DomainName !== readSettings(name).webhookHost.hostName,
      );
      for (const [, { Properties }] of domains)
        expect(Properties.MutualTlsAuthentication.TruststoreVersion).toEqual({ Ref: "TruststoreVersion" });
      edge.hasParameter("TruststoreVersion", { Default: Match.absent(), MinLength: 1 });
    },
  );

  test.each(["local", "staging"] as const)(
    "%s: v2 and v2/sandbox on the platform's host, v2 on the webhooks' and the sandbox's own",
    (name) => {
      const templates = synthesized(name);
      const mapping = (domain: string, key: string, api: string) => ({
        DomainName: { Ref: resource(templates, "AWS::ApiGateway::DomainName", domain)[0] },
        ApiMappingKey: key,
        ApiId: { Ref: resource(templates, "AWS::ApiGateway::RestApi", api)[0] },
        Stage: { Ref: resource(templates, "AWS::ApiGateway::Stage", api)[0] },
      });
      expect(
        resourcesOf(templates.edge, "AWS::ApiGatewayV2::ApiMapping").map(([, { Properties }]) =>
          resolved(templates, Properties),
        ),
      ).toEqual([
        mapping("PlatformDomain", "v2", "PlatformApi"),
        mapping("PlatformDomain", "v2/sandbox", "SandboxApi"),
        mapping("WebhookDomain", "v2", "WebhookApi"),
        mapping("SandboxDomain", "v2", "SandboxApi"),
      ]);
    },
  );

  test("production has alias records, the platform's API and the webhooks'", () => {
    const { edge } = synthesized("production");
    edge.resourceCountIs("AWS::ApiGatewayV2::ApiMapping", 2);
    edge.hasResourceProperties("AWS::Route53::RecordSet", {
      Name: "api.card-issuing.example.",
      Type: "A",
      AliasTarget: {
        DNSName: {
          "Fn::GetAtt": [
            resource(edge, "AWS::ApiGateway::DomainName", "PlatformDomain")[0],
            "RegionalDomainName",
          ],
        },
      },
    });
  });
});

describe("firewall", () => {
  test.each(environmentNames)(
    "%s: blocks an address above four times the highest tier's limits, or half of the API's throttle",
    (name) => {
      const templates = synthesized(name);
      const [, { Properties }] = resource(templates, "AWS::WAFv2::WebACL", "WebAcl");
      const { rateLimits, throttle } = readSettings(name);
      const { reads, writes, fundsMoves } = rateLimits.highest;
      const perSecond = Math.min(4 * (reads + writes + fundsMoves), throttle.requestsPerSecond / 2);
      // A Program that keeps the limits of its tier is never blocked.
      if (name !== "local") expect(perSecond).toBeGreaterThanOrEqual(reads + writes + fundsMoves);
      const stages = resourcesOf(templates, "AWS::ApiGateway::Stage");
      for (const [, stage] of stages) {
        const [{ ThrottlingRateLimit }] = stage.Properties.MethodSettings;
        expect(perSecond).toBeLessThan(ThrottlingRateLimit);
      }
      expect(Properties.Rules).toContainEqual(
        expect.objectContaining({
          Action: { Block: {} },
          Statement: {
            RateBasedStatement: {
              AggregateKeyType: "IP",
              EvaluationWindowSec: 300,
              Limit: 300 * perSecond,
            },
          },
        }),
      );
    },
  );

  test.each(environmentNames)("%s: a sender of webhooks gets 429 above its limit in a minute", (name) => {
    const [, { Properties }] = resource(synthesized(name), "AWS::WAFv2::WebACL", "WebhookAcl");
    const rules = Properties.Rules as { Statement: { RateBasedStatement?: object }; Action?: object }[];
    const [limit] = rules.filter(({ Statement }) => Statement.RateBasedStatement);
    expect(limit?.Action).toEqual({ Block: { CustomResponse: { ResponseCode: 429 } } });
    expect(limit?.Statement.RateBasedStatement).toEqual({
      AggregateKeyType: "IP",
      EvaluationWindowSec: 60,
      Limit: name === "local" ? 300_000 : 6_000,
    });
    expect(resourcesOf(synthesized(name), "AWS::WAFv2::IPSet")).toEqual([]);
  });

  test.each(environmentNames)(
    "%s: stops known exploits everywhere, bad reputations where no certificate does",
    (name) => {
      const groups = ["WebAcl", "WebhookAcl"].map((id) => {
        const [, { Properties }] = resource(synthesized(name), "AWS::WAFv2::WebACL", id);
        return Properties.Rules.flatMap(
          ({ Statement }: { Statement: { ManagedRuleGroupStatement?: { Name: string } } }) =>
            Statement.ManagedRuleGroupStatement?.Name ?? [],
        );
      });
      const exploits = "AWSManagedRulesKnownBadInputsRuleSet";
      expect(groups).toEqual([[exploits], ["AWSManagedRulesAmazonIpReputationList", exploits]]);
    },
  );

  test("only the senders' ranges get in where the environment names them", () => {
    const templates = askingForAll();
    const [setId, set] = resource(templates, "AWS::WAFv2::IPSet", "WebhookAclSenders");
    expect(set.Properties.Addresses).toEqual(askable.webhookSenders.ranges);
    const [, { Properties }] = resource(templates, "AWS::WAFv2::WebACL", "WebhookAcl");
    // The first: what nobody connected sends counts for nothing else.
    expect(
      Properties.Rules.toSorted((one: Priority, other: Priority) => one.Priority - other.Priority)[0],
    ).toMatchObject({
      Action: { Block: {} },
      Statement: {
        NotStatement: { Statement: { IPSetReferenceStatement: { Arn: { "Fn::GetAtt": [setId, "Arn"] } } } },
      },
    });
    const misspelt = {
      ...readSettings("production"),
      webhookSenders: { perSecond: 100, ranges: ["192.0.2.0"] },
    };
    expect(Settings.safeParse(misspelt).success).toBe(false);
  });

  test.each(environmentNames)("%s: protects every stage, and logs no key and no path", (name) => {
    const templates = synthesized(name);
    const guarded = resourcesOf(templates, "AWS::WAFv2::WebACLAssociation").map(([, { Properties }]) =>
      JSON.stringify(resolved(templates, Properties.ResourceArn)),
    );
    const stages = resourcesOf(templates, "AWS::ApiGateway::Stage").map(([id]) => id);
    expect(stages.length).toBeGreaterThan(0);
    expect(guarded).toHaveLength(stages.length);
    for (const id of stages)
      expect(
        guarded.some((arn) => arn.includes(`{"Ref":"${id}"}`)),
        id,
      ).toBe(true);
    templates.edge.hasResourceProperties("AWS::WAFv2::LoggingConfiguration", {
      RedactedFields: [{ SingleHeader: { Name: "x-api-key" } }, { UriPath: {} }, { QueryString: {} }],
    });
    // Requests that pass are in the access log.
    for (const [, { Properties }] of resourcesOf(templates, "AWS::WAFv2::LoggingConfiguration")) {
      const [{ Behavior, Conditions }, ...others] = Properties.LoggingFilter.Filters;
      expect([Properties.LoggingFilter.DefaultBehavior, Behavior, others]).toEqual(["DROP", "KEEP", []]);
      expect(
        Conditions.map((one: { ActionCondition: { Action: string } }) => one.ActionCondition.Action),
      ).toEqual(expect.arrayContaining(["BLOCK", "COUNT"]));
    }
  });
});

interface Priority {
  readonly Priority: number;
}
