import { expect, it } from "vitest";
import { allow, assemblyWith, region, tableArn } from "../../infra/local/test/given-role.ts";
import { resource } from "../../infra/local/test/given-template.ts";
import { grantText, namedGrants, readUsedGrant } from "../harness/named-grants.ts";

it("every grant of the roles is listed once, with the names of indexes, streams and usage plans", () => {
  const assembly = assemblyWith(
    allow(["dynamodb:Query", "dynamodb:GetItem"], tableArn),
    allow("dynamodb:Query", [tableArn, `${tableArn}/index/by-due`]),
    allow("dynamodb:GetRecords", `${tableArn}/stream/local`),
    allow("apigateway:POST", `arn:aws:apigateway:${region}::/usageplans/x1y2z3/keys`),
    { ...allow("dynamodb:DeleteItem", tableArn), Effect: "Deny" },
  );
  const plan = resource("AWS::ApiGateway::UsagePlan", "x1y2z3", "");
  assembly.resources.push({ ...plan, logicalId: "UsagePlanshighest0123ABCD" });
  const texts = [
    "cards: dynamodb:Query on issuing",
    "cards: dynamodb:GetItem on issuing",
    "cards: dynamodb:Query on issuing/index/by-due",
    "cards: dynamodb:GetRecords on issuing/stream",
    `cards: apigateway:POST on arn:aws:apigateway:${region}::/usageplans/UsagePlanshighest/keys`,
  ];
  expect(namedGrants(assembly).map(grantText)).toEqual(texts);
  const used = { functionName: "cards", action: "dynamodb:Query", resource: `${tableArn}/index/by-due` };
  expect([JSON.stringify(used), String(texts[0])].map((line) => readUsedGrant(assembly, line))).toEqual([
    texts[2],
    texts[0],
  ]);
});
