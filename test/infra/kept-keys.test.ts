import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { type Resource, resolved, resourcesOf, synthesized, templatesIn } from "./synthesized.ts";

/** What only reads or writes a log or an alarm, or says who may use a key. */
const keepsNothing = /^AWS::(KMS::Key|Logs::|SNS::|IAM::|SQS::QueuePolicy)/;

/** The logical ids of the keys to which a value refers, wherever in it. */
function keysIn(value: unknown, keys: ReadonlySet<string>): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { Ref: ref, "Fn::GetAtt": attribute } = value as Record<string, unknown>;
  const named = [ref, Array.isArray(attribute) ? attribute[0] : undefined];
  return [
    ...named.filter((name): name is string => typeof name === "string" && keys.has(name)),
    ...Object.values(value).flatMap((one) => keysIn(one, keys)),
  ];
}

describe.each(environmentNames)("the keys of %s", (name) => {
  const templates = synthesized(name);
  const all = new Map(resourcesOf(templates, "AWS::KMS::Key"));

  test("can be replicated to another region if a table, secret, bucket or function needs them, and only then", () => {
    const ids = new Set(all.keys());
    const needed = templatesIn(templates).flatMap((template) =>
      Object.values<Resource>(template.toJSON().Resources)
        .filter(({ Type }) => !keepsNothing.test(Type))
        .flatMap(({ Properties }) => keysIn(resolved(templates, Properties), ids)),
    );
    const multiRegion = [...all].filter(([, { Properties }]) => Properties.MultiRegion === true);
    expect(multiRegion.map(([id]) => id).toSorted()).toEqual([...new Set(needed)].toSorted());
    expect(multiRegion.length).toBeGreaterThan(0);
  });
});
