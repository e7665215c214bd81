import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { listParts, type StackPart, stackContents, stackName } from "../../infra/stacks/stack-parts.ts";
import { type Resource, synthesized, templatesIn } from "./synthesized.ts";

/**
 * CloudFormation takes 500 resources in a stack, and a template of 1 MB. A part that nears this is
 * to be split while there is room.
 */
const [resourceLimit, bytesLimit] = [250, 500_000];

describe.each(environmentNames)("stacks of %s", (name) => {
  const templates = Object.entries(synthesized(name));
  const resourcesIn = (template: (typeof templates)[number][1]) =>
    Object.entries(template.toJSON().Resources as Record<string, Resource>);

  test("are deployed in this order, each with its description", () => {
    expect(templates.map(([part]) => part)).toEqual(listParts(readSettings(name)));
    for (const [part, template] of templates) {
      const what = stackContents[part as StackPart];
      expect(template.toJSON().Description).toBe(`Card issuing platform, ${name}: ${what}.`);
    }
  });

  test(`each have fewer than ${resourceLimit} resources`, () => {
    const counts = templates.map(([part, template]) => [part, resourcesIn(template).length] as const);
    expect(counts.filter(([, count]) => count >= resourceLimit)).toEqual([]);
  });

  test(`each have a template of less than ${bytesLimit} bytes`, () => {
    const sizes = templates.map(
      ([part, template]) => [part, JSON.stringify(template.toJSON()).length] as const,
    );
    expect(sizes.filter(([, bytes]) => bytes >= bytesLimit)).toEqual([]);
  });

  test("read only from stacks that are deployed earlier", () => {
    const parts = listParts(readSettings(name));
    for (const [index, [, template]] of templates.entries()) {
      const before = parts.slice(0, index).map((part) => stackName(name, part));
      const text = JSON.stringify(template.toJSON());
      const read = [...text.matchAll(/"Fn::GetStackOutput":\{"StackName":"([\w-]+)"/g)].map(
        ([, stack]) => stack,
      );
      expect(before).toEqual(expect.arrayContaining(read));
    }
  });

  test("leave nothing behind after a failed creation, so that the deployment can be repeated", () => {
    const resources = templatesIn(synthesized(name)).flatMap(resourcesIn);
    const surviving = resources.filter(([, { DeletionPolicy = "Delete" }]) =>
      ["Retain", "Snapshot"].includes(DeletionPolicy),
    );
    expect(surviving.map(([id]) => id)).toEqual([]);
    const replaced = resources.filter(
      ([, { DeletionPolicy, UpdateReplacePolicy }]) =>
        DeletionPolicy === "RetainExceptOnCreate" && UpdateReplacePolicy !== "Retain",
    );
    expect(replaced.map(([id]) => id)).toEqual([]);
  });
});
