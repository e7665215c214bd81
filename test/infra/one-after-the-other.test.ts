import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { resourcesOf, synthesized } from "./synthesized.ts";

/** API Gateway answers 409 or 429 where CloudFormation makes two of these at once. */
const sequential = [
  "AWS::ApiGateway::UsagePlan",
  "AWS::ApiGateway::DomainName",
  "AWS::ApiGatewayV2::ApiMapping",
];

describe.each(environmentNames)("API Gateway of %s", (name) => {
  const { edge } = synthesized(name);

  test.each(sequential)("creates each %s after the previous one", (type) => {
    const found = resourcesOf(edge, type);
    const ids = found.map(([id]) => id);
    const before = new Map(
      found.map(([id, { DependsOn = [] }]) => [id, [DependsOn].flat().filter((one) => ids.includes(one))]),
    );
    const allBefore = (id: string): Set<string> =>
      new Set((before.get(id) ?? []).flatMap((one) => [one, ...allBefore(one)]));
    // In a sequence the first has none before it, the next one, and so on.
    const numbers = ids.map((id) => allBefore(id).size).toSorted((left, right) => left - right);
    expect(ids.length).toBeGreaterThan(0);
    expect(numbers).toEqual(ids.map((_, index) => index));
  });
});
