import { describe, expect, it } from "vitest";
import { unknownArguments } from "../../infra/commands/mcp/arguments.ts";
import { toolsFor } from "../../infra/commands/mcp/tools.ts";

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Each field of a schema by its place, at any depth. */
function listFields(schema: Schema, place = ""): [string, Schema][] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const within = [...(items ? [items] : []), ...anyOf, ...oneOf].flatMap((one) => listFields(one, place));
  const named = Object.entries(properties).flatMap(([name, field]): [string, Schema][] => {
    const at = place === "" ? name : `${place}.${name}`;
    return [[at, field], ...listFields(field, at)];
  });
  return [...named, ...within];
}

const tools = toolsFor({ sandboxUrl: "https://localhost/sandbox", tenantApiKey: "key" }).map(
  (tool) => [tool.name, tool] as const,
);

describe.each(tools)("the tool %s", (_, { description, inputSchema }) => {
  it("describes each field of its input where it is, and refers to nothing elsewhere", () => {
    expect(JSON.stringify(inputSchema)).not.toContain("$ref");
    const fields = listFields(inputSchema as Schema);
    expect(fields.filter(([, field]) => !field.description).map(([at]) => at)).toEqual([]);
  });

  it("says what it gives", () => {
    expect(description).toMatch(/^Gives (data|items) with \w+(, \w+)*\.$/m);
  });

  it("refuses by its name what no schema has, also within each object of the body", () => {
    expect(unknownArguments(inputSchema, { thisOne: 1 })).toEqual([
      expect.stringMatching(/^thisOne: is not/),
    ]);
    const objects = listFields(inputSchema as Schema).filter(([, { properties }]) => properties);
    for (const [at, { additionalProperties }] of objects) {
      const given = at.split(".").reduceRight<object>((inner, name) => ({ [name]: inner }), { thisOne: 1 });
      const reasons =
        typeof additionalProperties === "object" ? [] : [expect.stringContaining(`${at}.thisOne: `)];
      expect([at, unknownArguments(inputSchema, given)]).toEqual([at, reasons]);
    }
  });
});
