import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCatalogue } from "../../shared/contract/errors.ts";
import type { Route } from "../../shared/contract/route.ts";
import { routes } from "../../shared/contract/routes.ts";
import { postmanCollection } from "../tools/openapi/postman.ts";
import type { Json } from "../tools/openapi/schemas.ts";

/** `openapi.test.ts` says that it is today's, and takes long to make it. */
const document = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
) as Json;

interface WithExample<V> {
  readonly content: { "application/json": { examples: { recorded: { value: V } } } };
}
interface Field extends Json {
  readonly place: string;
}

function resolve(schema: Json): Json {
  if (typeof schema.$ref !== "string") return schema;
  const found = schema.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((all, key) => (all as Json)[key], document);
  return { ...(found as Json), ...schema };
}

/** Every property of every schema, each with what its component adds. */
function fieldsIn(value: unknown, place: string): Field[] {
  if (typeof value !== "object" || value === null) return [];
  const { properties = {} } = value as { properties?: Record<string, Json> };
  const own = Object.entries(properties).map(([name, of]) => ({ ...resolve(of), place: `${place}.${name}` }));
  const examples = new Set(["examples", "example"]);
  const parts = Object.entries(value).filter(([key]) => !examples.has(key));
  return [...own, ...parts.flatMap(([key, part]) => fieldsIn(part, `${place}/${key}`))];
}

/** An object's example is in its fields. */
function hasFields(schema: Json): boolean {
  const { properties, allOf, items, anyOf } = resolve(schema);
  return Boolean(
    properties ??
      allOf ??
      (items && hasFields(items as Json)) ??
      (anyOf as Json[] | undefined)?.some(hasFields),
  );
}

it("every format of an answer has a recorded example", () => {
  const contents = Object.values(document.paths as Record<string, Record<string, Json>>)
    .flatMap((path) => Object.values(path))
    .map(({ responses }) => (responses as Record<string, { content: Record<string, Json> }>)["200"]?.content);
  const formats = contents.flatMap((content) => Object.entries(content ?? {}));
  expect(formats.length).toBeGreaterThan(routes.length);
  expect(formats.filter(([, { examples }]) => !examples).map(([type]) => type)).toEqual([]);
});

const described =
  "A text is the comment of the field in shared/contract, or its row in the tables of test/tools/openapi. Then: npm run openapi.";
const recordedFirst =
  "An example is recorded (npm run record, npm run openapi), or stands in the tables of test/tools/openapi.";

describe("every field of the reference", () => {
  it("has a description", () => {
    const fields = fieldsIn(document, "");
    expect(fields.length).toBeGreaterThan(1_000);
    const without = fields.filter(({ description }) => !description);
    expect(
      without.map(({ place }) => place),
      described,
    ).toEqual([]);
  });

  it("has an example, unless it is an object", () => {
    const lacking = fieldsIn(document, "").filter(
      (field) => !Array.isArray(field.examples) && !("const" in field) && !hasFields(field),
    );
    expect(
      lacking.map(({ place }) => place),
      recordedFirst,
    ).toEqual([]);
  });

  it.each([
    [
      "an amount",
      /(amount|balance|\.fee|opening|closing|debits|credits|threshold|dailyMax)$/i,
      /minor units|hundredths/i,
    ],
    ["milliseconds", /Ms$/, /milliseconds/i],
    ["a time", /(Seconds|Minutes|Hours|Days)$/, /second|minute|hour|day/i],
    ["a share", /Percent$/, /percent|from 0 to 100/i],
  ])("says the unit of %s", (_, named, unit) => {
    const fields = fieldsIn(document, "").filter(
      ({ place, type }) => named.test(place) && String(type).includes("integer"),
    );
    expect(fields.length).toBeGreaterThan(1);
    const without = fields.filter(({ description }) => !unit.test(String(description)));
    expect(without.map(({ place }) => place)).toEqual([]);
  });
});

/** Codes, numbers of a year or a month, and what is counted in its own name: they have no unit. */
const withoutUnit = new Set([
  ...[
    "TransType",
    "cardType",
    "expiryMonth",
    "expiryYear",
    "etime",
    "htime",
    "msgtype",
    "txntype",
    "trace",
    "points",
  ],
  ...["responseStatus", "transactionStatus", "sequence", "attempt", "line", "count", "rows", "sent"],
  ...["settlements", "correct", "wrong", "unlisted", "records", "succeeded", "failed", "duplicates"],
]);
const unit =
  /minor units|decimal|hundredths|seconds?|minutes?|hours?|days?|months?|years?|bytes|from 0 to 1|number of|how many|how often|1 to/i;

it("every number of the reference says its unit, or has none", () => {
  const numbers = fieldsIn(document, "").filter(
    (field) => /integer|number/.test(String(field.type)) && !("enum" in field) && !("const" in field),
  );
  const without = numbers.filter(({ description }) => !unit.test(String(description)));
  const names = new Set(without.map(({ place }) => place.split(".").at(-1) ?? ""));
  expect([...names].filter((name) => !withoutUnit.has(name))).toEqual([]);
  expect([...withoutUnit].filter((name) => !names.has(name))).toEqual([]);
});

type Answer = Json & { status?: string; items?: Json[]; data?: Json };

/** The recorded success of a route. */
function exampleOf({ api, method, path }: Route): Answer | undefined {
  type Operation = { responses: Record<string, WithExample<Answer>> };
  const paths = document.paths as Record<string, Record<string, Operation>>;
  const operation = paths[api === "sandbox" ? `/sandbox${path}` : path]?.[method.toLowerCase()];
  return operation?.responses[200]?.content["application/json"].examples.recorded.value;
}

describe("every parameter of the reference", () => {
  it("has a description, in a path or a query", () => {
    type Operations = Record<string, { parameters: Json[] }>;
    const operations = Object.values(document.paths as Record<string, Operations>).flatMap((all) =>
      Object.values(all),
    );
    const parameters = operations.flatMap((one) => one.parameters).map(resolve);
    expect(parameters.length).toBeGreaterThan(200);
    const without = parameters.filter(
      ({ description, schema }) => !description && !resolve(schema as Json).description,
    );
    expect(
      without.map(({ name }) => name),
      described,
    ).toEqual([]);
  });
});

describe("every answer of the reference", () => {
  it.each(routes)("has a recorded example that fits the contract: $method $path", (route) => {
    const { status, data, items = [data] } = exampleOf(route) ?? {};
    expect(status).toBe("success");
    for (const item of items) expect(route.response.parse(item)).toEqual(item);
  });

  it("that is an error is shown for each code", () => {
    const { examples } = document.components as { examples: Record<string, { value: Json }> };
    const names = Object.keys((document.components as { responses: Json }).responses);
    const answered = new Set(names.flatMap((name) => name.split(".")));
    for (const [code, { message: usual }] of Object.entries(errorCatalogue).filter(([one]) =>
      answered.has(one),
    )) {
      // Some name the operation and the role, the limit, or the status behind the sentence.
      const named: Readonly<Record<string, RegExp>> = {
        OPERATION_NOT_ALLOWED: / read_only\.$/,
        LIMIT_REACHED: /^At most \d+ .* are allowed, and there (are|would be) [1-9]\d*\.$/,
        CARD_NOT_EMPTY: / left on it: held \d+, pending \d+, available -?\d+\.$/,
        COMPLIANCE_STATE: / does not permit this: it is /,
        ILLEGAL_TRANSITION: / does not permit this operation: it is /,
        DESIGN_NOT_APPROVED: / is not Approved: it is /,
        EXTERNAL_ACCOUNT_NOT_VERIFIED: / is not verified: it is /,
      };
      const message = named[code] ? expect.stringMatching(named[code]) : usual;
      expect(examples[code]?.value).toMatchObject({ status: "error", code, message });
    }
  });

  it("holds no secret: key, token, passcode, card number or certificate", () => {
    // A PDF is compressed. Its statement's CSV shows the same.
    const text = JSON.stringify(document, (name, value) => (name === "application/pdf" ? null : value));
    for (const secret of [
      /cik_\w{8}/,
      /whsec_(?!cmVkYWN0ZWQ=|…|`|\[A-Z)/,
      /(?<!\d)[2-6]\d{12,18}(?!\d)/,
      /BEGIN \w+ ?\w*-----(?!\\nredacted|\\\\nredacted)/,
    ])
      expect(secret.exec(text)?.[0]).toBeUndefined();
    expect(text).toContain("-----BEGIN CERTIFICATE-----");
  });
});

describe("a webhook of the reference", () => {
  it.each(["hold", "settlement", "deposit"])("%s shows its envelope and both inner layers", (name) => {
    const webhooks = document.webhooks as Record<
      string,
      { post: { requestBody: WithExample<{ SpData: string }> } }
    >;
    const sent = webhooks[name]?.post.requestBody.content["application/json"].examples.recorded.value;
    const data = JSON.parse(sent?.SpData ?? "");
    const { schemas } = document.components as { schemas: Record<string, { examples?: unknown[] }> };
    const layer = name.replace(/^./, (first) => first.toUpperCase());
    expect(schemas[`${layer}Data`]?.examples).toEqual([data]);
    expect(schemas[`${layer}Original`]?.examples).toEqual([JSON.parse(data.OriginalDataFromSp)]);
  });
});

describe("docs/postman.json", () => {
  it("has every operation, with variables for the ids in paths and bodies", () => {
    const { item, variable } = postmanCollection(document) as {
      item: {
        item: { name: string; request: { url: { variable: { value: string }[] }; body?: { raw: string } } }[];
      }[];
      variable: { key: string }[];
    };
    // The first folder is a story, which has requests again.
    const requests = item.slice(1).flatMap((folder) => folder.item);
    expect(requests).toHaveLength(routes.length);
    const known = new Set(variable.map(({ key }) => `{{${key}}}`));
    const used = requests.flatMap(({ request }) => JSON.stringify(request).match(/\{\{\w+\}\}/g) ?? []);
    expect(used.filter((one) => !known.has(one))).toEqual([]);
    expect(JSON.stringify(requests.map(({ request }) => request))).not.toMatch(/[a-z]{3}_0{20}/);
  });
});
