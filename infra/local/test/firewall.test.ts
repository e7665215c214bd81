import { describe, expect, it } from "vitest";
import { readFirewall } from "../gateway/firewall.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const api = { id: "webhooks", stage: "live" };
const arn = `arn:aws:apigateway:eu-west-1::/restapis/${api.id}/stages/${api.stage}`;
const rate = (Limit: number, more: object = {}) => ({
  Priority: 2,
  Action: { Block: { CustomResponse: { ResponseCode: 429 } } },
  Statement: { RateBasedStatement: { AggregateKeyType: "IP", EvaluationWindowSec: 60, Limit, ...more } },
});
const managed = { Priority: 1, OverrideAction: { None: {} }, Statement: { ManagedRuleGroupStatement: {} } };
const foreign = {
  Priority: 0,
  Action: { Block: {} },
  Statement: {
    NotStatement: {
      Statement: { IPSetReferenceStatement: { Arn: arnOf("AWS::WAFv2::IPSet", "senders") } },
    },
  },
};

function givenFirewall(...Rules: object[]) {
  const clock = { ms: 0, now: () => clock.ms };
  const assembly = givenTemplate(
    ["AWS::WAFv2::WebACL", "acl", { Rules }],
    [
      "AWS::WAFv2::WebACLAssociation",
      "guards",
      { ResourceArn: arn, WebACLArn: arnOf("AWS::WAFv2::WebACL", "acl") },
    ],
    ["AWS::WAFv2::IPSet", "senders", { IPAddressVersion: "IPV4", Addresses: ["192.0.2.0/24"] }],
  );
  return { clock, firewall: readFirewall(assembly, clock) };
}

describe("the firewall", () => {
  it("counts what each address sends in the window, and lets it in again when it sends less", () => {
    const { clock, firewall } = givenFirewall(managed, rate(10));
    const send = (count: number, ip: string) => Array.from({ length: count }, () => firewall(api, ip));
    expect(send(10, "192.0.2.1")).toEqual(Array(10).fill(undefined));
    expect(send(2, "192.0.2.1")).toEqual([429, 429]);
    expect(send(1, "192.0.2.2")).toEqual([undefined]);
    clock.ms = 59_999;
    expect(send(1, "192.0.2.1")).toEqual([429]);
    clock.ms = 60_000;
    expect(send(1, "192.0.2.1")).toEqual([undefined]);
  });

  it("lets nobody in from outside the ranges, nor over IPv6", () => {
    const { firewall } = givenFirewall(rate(10), foreign);
    const answers = ["192.0.2.255", "192.0.3.0", "::1"].map((ip) => firewall(api, ip));
    expect(answers).toEqual([undefined, 403, 403]);
  });

  it("guards the stage of its association alone", () => {
    const { firewall } = givenFirewall(foreign);
    expect(firewall({ ...api, stage: "other" }, "203.0.113.1")).toBeUndefined();
  });

  it.each([
    ["a window that WAF does not have", rate(10, { EvaluationWindowSec: 90 })],
    ["a limit below WAF's least", rate(9)],
    ["a key that is no address", rate(10, { AggregateKeyType: "FORWARDED_IP" })],
    ["a rule of another kind", { Priority: 0, Statement: { GeoMatchStatement: { CountryCodes: ["XX"] } } }],
  ])("rejects %s", (_, rule) => {
    expect(() => givenFirewall(rule)).toThrow("AWS::WAFv2::WebACL acl of test");
  });
});
