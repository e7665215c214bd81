import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathParameterNames, type Route } from "../../../../shared/contract/route.ts";
import { routes } from "../../../../shared/contract/routes.ts";
import { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { readJson, validateRequest } from "../../../../shared/platform/http/serve-request.ts";
import { apiEvent, type EventOptions } from "../../../harness/api-event.ts";
import {
  actOnProbe,
  exportProbe,
  leastBody,
  listProbes,
  postProbe,
  putProbe,
  viewProbe,
  walletId,
} from "./probe-route.ts";

type RequestOptions = Omit<EventOptions, "route"> & { readonly event?: Partial<APIGatewayProxyEvent> };

/** What stands for a parameter that is no identifier. */
const pathValues: Record<string, string> = {
  token: "0".repeat(43),
  listenerId: "0".repeat(64),
  cardType: "1",
  date: "2026-11-20",
  period: "2026-11",
};

/** Each route with a path of its own. */
const everyRoute = routes.map((route) => {
  const names = pathParameterNames(route.path);
  const path = Object.fromEntries(names.map((name) => [name, pathValues[name] ?? walletId]));
  return [`${route.method} ${route.path}`, route, path] as const;
});

/** The validated parts with 200, or the error's status with `path code` per fault. */
function validated(route: Route, { event, ...options }: RequestOptions) {
  const input = apiEvent({ path: { walletId }, ...options, route: `${route.method} ${route.path}` });
  try {
    return { status: 200, faults: [], ...validateRequest(route, { ...input, ...event }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, faults: error.faults.map(({ path, code }) => `${path} ${code}`) };
  }
}

const post = (body: unknown) => validated(postProbe, { body });
const withField = (name: string, value: unknown) => post({ ...leastBody, [name]: value });
/** What a rejected request says, with `path message` per fault. */
function messagesOf(route: Route, options: RequestOptions) {
  const input = apiEvent({ path: { walletId }, ...options, route: `${route.method} ${route.path}` });
  try {
    validateRequest(route, input);
  } catch (error) {
    return (error as ApiError).faults.map(({ path, message }) => `${path} ${message}`);
  }
}

describe("a request's body", () => {
  it("reaches the operation with its defaults and without undeclared fields", () => {
    const { status, body } = post({ ...leastBody, unknown: 1, address: { line1: "l", more: {} } }) as never;
    expect({ status, body }).toEqual({ status: 200, body: { ...leastBody, flag: false } });
  });

  it.each([
    ["invalid_json", ["{", '{"amount": NaN}', `\ufeff${JSON.stringify(leastBody)}`]],
    ["not_an_object", ["[]", "null", '"text"', "1"]],
    ["empty_body", ["", " \n\t", undefined]],
  ])("400: is %s if it is one of %j", (code, bodies) => {
    for (const body of bodies) expect(post(body)).toEqual({ status: 400, faults: [`body ${code}`] });
  });

  it.each([
    ['{"name": "a", "name": "b"}', "name"],
    ['{"name": "a", "n\\u0061me": "a"}', "name"],
    ['{"unknown": {"a": [1, [], {"b": 1}, {"b": "{", "c": ":", "b": 1}]}}', "unknown.a.3.b"],
    ['{"a\\"b": {}, "a\\u0022b": []}', 'a"b'],
    ['{"__proto__": 1, "__proto__": 2}', "__proto__"],
  ])("400: %s has a key twice", (body, place) => {
    expect(post(body)).toEqual({ status: 400, faults: [`body.${place} repeated`] });
    const line = readJson(postProbe.body, body);
    expect([line.malformed, line.faults[0]?.path]).toEqual([true, `body.${place}`]);
  });

  it("may have a key in several objects, and in a text", () => {
    const name = ',"a":\\{[';
    const fields = JSON.stringify({ ...leastBody, name, a: { name }, b: [{ name }, { name }, [name, name]] });
    expect(post(fields)).toMatchObject({ status: 200, body: { ...leastBody, name } });
  });

  it("with a key twice is found in time that grows as it does", () => {
    for (const text of ["\n".repeat(2_000_000), '"'.repeat(2_000_000)])
      expect(post(`{"name": "a", "x": ${JSON.stringify(text)}, "name": "b"}`).faults).toEqual([
        "body.name repeated",
      ]);
  });

  it("may be left out or ignored where the route says so", () => {
    expect(validated(putProbe, {})).toEqual({ status: 400, faults: ["body empty_body"] });
    expect(validated(actOnProbe, {})).toMatchObject({ status: 200, body: {} });
    expect(validated(viewProbe, { body: "{" })).toMatchObject({ status: 200, body: undefined });
  });

  it.each([
    ["amount", ["1", true, {}]],
    ["name", [1]],
    ["kind", ["0", false]],
    ["chain", [1, null]],
    ["flag", ["true", 1, null]],
    ["address", ["l", []]],
    ["note", [null]],
  ])("400: %s has a wrong type in %j", (name, values) => {
    const fault = [expect.stringMatching(`^body\\.${name} `)];
    for (const value of values) expect(withField(name, value)).toEqual({ status: 400, faults: fault });
  });

  it.each([
    ["amount", 1.5, "must be a whole number"],
    ["amount", "1", "must be of type number"],
    ["name", 1, "must be of type string"],
    ["flag", "true", "must be of type boolean"],
    ["address", [], "must be of type object"],
    ["kind", 7, "must be one of 0, 1"],
    ["kind", "0", "must be of type number, one of 0, 1"],
    ["amount", 0, "must be at least 1"],
    ["amount", 100_000_000_001, "must be at most 100000000000"],
    ["name", "x".repeat(11), "must have at most 10 characters"],
  ])("says of %s, if it is %j, that it %s", (name, value, message) => {
    const body = { ...leastBody, [name]: value };
    expect(messagesOf(postProbe, { body })).toEqual([`body.${name} ${message}`]);
  });

  it.each([
    ["amount", [1.5, 0, 100_000_000_001, 1e300, null]],
    ["kind", [2, 0.5, null]],
    ["chain", ["dogecoin"]],
    ["name", ["x".repeat(11), "", "  ", "a\u0000b", "a\ud800", "x".repeat(5_000_000)]],
    ["address", [null]],
  ])("422: %s has a wrong value", (name, values) => {
    for (const value of values) {
      const { status, faults } = withField(name, value);
      expect([value, status]).toEqual([value, 422]);
      expect(faults).toContainEqual(expect.stringMatching(`^body\\.${name} `));
    }
  });

  it("422: a number too large for JSON is a wrong value", () => {
    const body = JSON.stringify({ ...leastBody, amount: 7 }).replace("7", "1e999");
    expect(post(body)).toEqual({ status: 422, faults: ["body.amount invalid_type"] });
  });

  it("says of a missing field that it is required, nested ones by their path, and of a wrong one what is wrong", () => {
    expect(messagesOf(postProbe, { body: { name: 1, address: {} } })).toEqual([
      "body.name must be of type string",
      ...["amount", "kind", "address.line1"].map((path) => `body.${path} is required`),
    ]);
    const faults = [
      "name invalid_type",
      "amount invalid_type",
      "kind invalid_value",
      "address.line1 invalid_type",
    ];
    expect(post({ address: {} })).toEqual({ status: 422, faults: faults.map((one) => `body.${one}`) });
  });

  it("distinguishes required from optional fields in a nested object", () => {
    expect(withField("address", { line1: null }).status).toBe(422);
    expect(withField("address", { line1: "l", line2: null }).status).toBe(400);
  });

  it("400: lists wrong values beside wrong types", () => {
    const faults = ["name invalid_type", "amount too_small", "kind invalid_value"];
    expect(post({ name: 1, amount: 0, kind: 9, address: { line1: "" } })).toEqual({
      status: 400,
      faults: [...faults, "address.line1 too_small", "address.line1 custom"].map((one) => `body.${one}`),
    });
  });

  const declaring = (contentType: string, body: unknown = leastBody) =>
    validated(postProbe, { body, headers: { "Content-Type": contentType } });

  it.each([
    ...["application/json; charset=iso-8859-1", "application/json;charset=windows-1252"],
    ...['application/json; charset="ISO-8859-15"', "application/json; profile=x; CHARSET = utf-16"],
    ...["application/json; charset=us-ascii", "application/json; charset="],
  ])("415: %s is another charset, whatever the body", (contentType) => {
    expect(declaring(contentType)).toEqual({ status: 415, faults: ["header.Content-Type not_supported"] });
    expect(declaring(contentType, "{").status).toBe(415);
    expect(declaring(contentType, "").status).toBe(400);
  });

  it.each([
    ...["application/json", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'],
    ...["text/plain; charset=utf8", "x; my-charset=latin1"],
  ])("takes UTF-8 as %s", (contentType) => expect(declaring(contentType).status).toBe(200));

  it("415: a body that is compressed, or encoded in another way", () => {
    const encoded = (encoding: string, body: unknown = leastBody) =>
      validated(postProbe, { body, headers: { "content-encoding": encoding } });
    const fault = "header.Content-Encoding not_supported";
    for (const encoding of ["gzip", "GZIP", "deflate", "br", "identity, gzip", "x"])
      expect(encoded(encoding)).toEqual({ status: 415, faults: [fault] });
    for (const encoding of ["identity", " Identity ", ""]) expect(encoded(encoding).status).toBe(200);
    expect(encoded("gzip", "").status).toBe(400);
  });

  it.each([
    ["JSON", Buffer.from(JSON.stringify(leastBody)), 200],
    ["Latin-1", Buffer.from('{"name": "Müller"}', "latin1"), "invalid_utf8"],
    ["no character", Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), "invalid_utf8"],
    ["an overlong form", Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]), "invalid_utf8"],
    ["a surrogate", Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]), "invalid_utf8"],
    ["a character that is cut", Buffer.from('{"name": "ü').subarray(0, -1), "invalid_utf8"],
    ["a byte order mark", Buffer.from(`\ufeff${JSON.stringify(leastBody)}`), "invalid_json"],
  ])("in base64, as the gateway sends it, may be %s: %s", (_, bytes, expected) => {
    const { status, faults } = validated(postProbe, {
      event: { body: bytes.toString("base64"), isBase64Encoded: true },
    });
    expect([status, ...faults]).toEqual(expected === 200 ? [200] : [400, `body ${expected}`]);
  });

  it("400: a prototype is not a set of fields", () => {
    expect(post('{"__proto__": {"name": "n", "amount": 1, "kind": 0}}').status).toBe(422);
    const constructed = `{"constructor": {"prototype": {"flag": true}}, ${JSON.stringify(leastBody).slice(1)}`;
    expect(post(constructed)).toMatchObject({ status: 200, body: { ...leastBody, flag: false } });
    expect(({} as { flag?: boolean }).flag).toBeUndefined();
  });

  it("400: an object that passes for a length cannot be compared with one", () => {
    const length = { toString: "x", valueOf: 1 };
    expect(withField("name", { length })).toEqual({ status: 400, faults: ["body incomparable_value"] });
    for (const name of Object.keys(leastBody)) {
      expect([400, 422]).toContain(withField(name, { length, size: length }).status);
    }
  });

  it("says of a number beyond all bounds what it says of one with a fraction", () => {
    const say = (amount: string) => messagesOf(postProbe, { body: `{"amount": ${amount}}` })?.[1];
    expect(["1.5", "1e400", "-1e400"].map(say)).toEqual(Array(3).fill("body.amount must be a whole number"));
  });

  it("survives deep nesting", () => {
    const endless = "[".repeat(300_000) + "]".repeat(300_000);
    const fields = JSON.stringify(leastBody).slice(1);
    expect(post(`{"unknown": ${endless}, ${fields}`).status).toBe(200);
    expect(post(`{"unknown": ${endless}, "name": null}`).status).toBe(422);
    expect(post(`{"address": ${endless}, "name": "n", "amount": 1, "kind": 0}`).status).toBe(400);
    expect(post(`{"address": {"line2": ${endless}}, "name": "n", "amount": 1, "kind": 0}`).status).toBe(400);
  });

  it("survives field lists of megabytes", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, null]));
    expect(post({ ...many, ...leastBody }).status).toBe(200);
  });
});

describe("rules over several fields", () => {
  const routeOf = (key: string) => everyRoute.find(([name]) => name === key)?.[1] as Route;

  it.each([
    [{ name: "A", cash: "block", velocty: {}, merchants: { mccs: {} } }, ["merchants.mccs", "velocty"]],
    [{ name: "A", velocity: { amount: 1 } }, ["velocity.window"]],
  ])("names each field of %j that is unknown or missing", (body, places) => {
    const { faults } = validated(routeOf("POST /controls"), { body, path: {} });
    expect(faults?.map((fault) => fault.split(" ")[0])).toEqual(places.map((place) => `body.${place}`));
  });

  it("lists a missing shipping address beside the faults of other fields", () => {
    const body = { cardholderId: 1, cardForm: 1, cardType: 9 };
    expect(validated(routeOf("POST /cards"), { body })).toEqual({
      status: 400,
      faults: ["body.cardholderId invalid_type", "body.cardType too_big", "body.shippingAddress custom"],
    });
  });

  it("lists a transfer to its own source beside a wrong amount, and only for wallets", () => {
    const transfer = { sourceWalletId: "wlt_a", destinationId: "wlt_a", destinationType: 0, amount: 0 };
    const route = routeOf("POST /wallets/transfer");
    const itself = ["body.amount too_small", "body.destinationId custom"];
    expect(validated(route, { body: transfer }).faults).toEqual(itself);
    expect(validated(route, { body: { ...transfer, destinationType: 1, amount: 1 } }).status).toBe(200);
    const missing = ["body.sourceWalletId invalid_type", "body.destinationId invalid_type"];
    expect(validated(route, { body: { destinationType: 0, amount: 1 } }).faults).toEqual(missing);
  });
});

const list = (query: Record<string, string | string[]>) => validated(listProbes, { query });

describe("a request's query", () => {
  it("has the declared defaults", () => {
    const query = { orderBy: "name", sort: "desc", limit: 50, offset: 0 };
    expect(list({})).toMatchObject({ status: 200, query });
  });

  it("arrives as numbers if the schema declares numbers", () => {
    const query = { limit: 200, offset: 400, status: 1, before: 1_795_161_600, after: 0 };
    const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
    expect(list(Object.fromEntries(given))).toMatchObject({ query });
  });

  it.each([
    ["limit", ["0", "-1", "201", "1.5", "1e2", "0x10", "ten", "", " 5", "99999999999999999999", "NaN", "٣"]],
    ["offset", ["-1", "0.5"]],
    ["status", ["2", "-1", "one", "1,0"]],
    ["orderBy", ["Name", "__proto__"]],
    ["sort", ["up", "DESC"]],
    ["before", ["2026-01-01", "-5"]],
    ["after", ["1.5"]],
    ["cardId", ["crd_1"]],
  ])("422: %s is none of %j", (name, values) => {
    const faults = [expect.stringMatching(`^query\\.${name} `)];
    for (const value of values)
      expect([value, list({ [name]: value })]).toEqual([value, { status: 422, faults }]);
  });

  it("422: lists every fault, also a parameter that is given twice, even with one value", () => {
    const query = { limit: "x", offset: "-1", sort: "up", status: "9", before: "then" };
    expect(list(query).faults).toHaveLength(5);
    expect(list({ limit: ["5", "5"] })).toEqual({ status: 422, faults: ["query.limit repeated"] });
  });

  it.each([
    ...["programId", "Limit", "cardID", "limit ", "limit[]", "format", ""],
    ...["constructor", "toString", "hasOwnProperty", "__proto__"],
  ])("422: %j is no parameter of the list", (name) => {
    const query = JSON.parse(`{${JSON.stringify(name)}: ["a", "b"]}`);
    expect(list(query)).toEqual({ status: 422, faults: [`query.${name} unknown_parameter`] });
    expect(list({ limit: "0", ...query }).faults).toHaveLength(2);
  });

  it("422: names what the endpoint takes instead, also where it takes nothing", () => {
    const says = (route: Route, name: string) => messagesOf(route, { query: { [name]: "x" } });
    const all = "after, before, cardId, limit, offset, orderBy, sort, status";
    const not = "is not a parameter of this endpoint, which takes";
    expect(says(listProbes, "cardid")).toEqual([`query.cardid ${not} ${all}`]);
    expect(says(exportProbe, "fromat")).toEqual([`query.fromat ${not} format`]);
    for (const route of [viewProbe, postProbe])
      expect(says(route, "limit")).toContain(`query.limit ${not} none`);
  });

  it.each(everyRoute)("422: %s takes no undeclared parameter", (_, route, path) => {
    const lines = route.lines && { headers: { "Content-Type": "application/x-ndjson" }, body: "{}" };
    const { status, faults } = validated(route, { path, query: { statsu: "1" }, ...lines });
    expect(faults).toContain("query.statsu unknown_parameter");
    // A body that is missing beside it is 400.
    expect([400, 422]).toContain(status);
  });
});

describe("a path parameter", () => {
  it.each([
    ...["", "wlt_", "wlt_1", walletId.toLowerCase(), ` ${walletId}`, `${walletId}\n`, `${walletId}#CARD`],
    ...["../wallets", "%00", "x".repeat(100_000), "__proto__"],
  ])("404: %j can be nobody's identifier", (value) => {
    expect(validated(viewProbe, { path: { walletId: value } })).toEqual({ status: 404, faults: [] });
  });

  it("404: is missing", () => {
    expect(validated(viewProbe, { event: { pathParameters: null } }).status).toBe(404);
  });
});

describe("Idempotency-Key", () => {
  const withKey = (key: string, body: object = leastBody) =>
    validated(postProbe, { body, headers: { "idempotency-KEY": key } });
  const hash = (body: object) =>
    (withKey("k", body) as { idempotency?: { requestHash: string } }).idempotency?.requestHash;

  it("is scoped to the endpoint", () => {
    expect(withKey("order-1")).toMatchObject({ idempotency: { endpoint: "POST /probes", key: "order-1" } });
  });

  it("is given once, whatever the case of its name", () => {
    const faults = ["header.Idempotency-Key repeated"];
    for (const multiValueHeaders of [
      { "Idempotency-Key": ["a", "a"] },
      { "Idempotency-Key": ["a"], "idempotency-key": ["b"] },
    ]) {
      const event = { headers: { "Idempotency-Key": "a" }, multiValueHeaders };
      expect(validated(postProbe, { body: leastBody, event })).toEqual({ status: 422, faults });
    }
  });

  it("hashes the validated request: field order, unknown fields and explicit defaults do not matter", () => {
    const { name, ...others } = leastBody;
    expect(hash({ ...others, name, flag: false, unknown: 1 })).toBe(hash(leastBody));
    expect(hash({ ...leastBody, amount: 2 })).not.toBe(hash(leastBody));
  });

  it.each([
    ["POST /wallets", (metadata: object) => ({ name: "n", metadata })],
    ["POST /controls", (metadata: object) => ({ name: "n", cash: "block", metadata })],
    [
      "POST /cards",
      (metadata: object) => ({
        ...{ cardholderId: "c", cardForm: 0, cardType: 0, metadata },
        controls: [{ name: "n", cash: "block", metadata }],
      }),
    ],
  ] as const)("%s: an object is the same in any order; a text that differs is another", (key, toBody) => {
    const route = everyRoute.find(([name]) => name === key)?.[1] as Route;
    const hashes = [
      { b: "1", a: "2" },
      { a: "2", b: "1" },
      { a: "2", b: "1 " },
    ].map((metadata) => {
      const options = { path: {}, body: toBody(metadata), headers: { "Idempotency-Key": "k" } };
      return validated(route, options) as { idempotency?: { requestHash: string } };
    });
    const [first, turned, other] = hashes.map(({ idempotency }) => idempotency?.requestHash);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(turned).toBe(first);
    expect(other).not.toBe(first);
  });

  it.each(["", "k".repeat(256), "a\tb", "clé"])("422: is not %j, listed beside the body's faults", (key) => {
    expect(withKey(key)).toEqual({ status: 422, faults: ["header.Idempotency-Key invalid_format"] });
    expect(withKey(key, { ...leastBody, amount: 0 }).faults).toHaveLength(2);
    expect(withKey("k".repeat(255)).status).toBe(200);
  });

  it("is ignored if the route moves no funds", () => {
    expect(validated(viewProbe, { headers: { "Idempotency-Key": "" } })).toMatchObject({
      status: 200,
      idempotency: undefined,
    });
  });
});

describe("any request at all", () => {
  it.each(everyRoute)("%s says what is wrong in the platform's words", (_, route, path) => {
    const wrong = [null, 5, -1, 1.5, 1e20, "", "x", "x".repeat(3000), true, [], [1], {}, { ä: "" }];
    const bodies = Object.keys(route.body?.shape ?? {}).flatMap((name) =>
      wrong.map((value) => ({ [name]: value })),
    );
    const queries = Object.keys(route.query?.shape ?? {}).flatMap((name) =>
      ["", "x", "-1", "x".repeat(300)].map((value) => ({ [name]: value })),
    );
    const said = [...bodies.map((body) => ({ body })), ...queries.map((query) => ({ query }))].flatMap(
      (options) => messagesOf(route, { path, ...options }) ?? [],
    );
    for (const message of said) expect(message).toMatch(/^\S+ (must|is|cannot) /);
  });

  it.each(everyRoute)("%s answers any JSON with 200, 400 or 422", (_, route, path) => {
    const fields = Object.keys({ ...route.body?.shape, ...route.query?.shape });
    const field = fields.length === 0 ? fc.string() : fc.constantFrom(...fields);
    const json = fc.oneof(fc.dictionary(field, fc.jsonValue()), fc.jsonValue());
    const text = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    const query = fc.dictionary(field, fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1 })));
    const answered = fc.property(text, query, (body, parameters) => {
      const { status, faults } = validated(route, { body, query: parameters, path });
      expect([200, 400, 422]).toContain(status);
      expect(faults.length > 0).toBe(status !== 200);
    });
    fc.assert(answered, { numRuns: 60 });
  });
});

const format = (accept?: string, query: Record<string, string | string[]> = {}) => {
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  const { status, faults, ...found } = validated(exportProbe, { headers, query });
  return status === 200 ? (found as { format?: string }).format : [status, ...faults].join(" ");
};

describe("the format of an answer", () => {
  it.each([
    ["json", ["*/*", "", "application/json", "application/*"]],
    ["csv", ["text/csv", "TEXT/CSV; charset=utf-8", "text/*", "application/json;q=0, */*"]],
    ["pdf", ["application/pdf", "text/html, application/pdf"]],
    ["camt053", ["text/csv;q=0.2, application/xml;q=0.9, */*;q=0.1"]],
    ["camt053", ["text/html, application/xml;q=0.9, */*;q=0.8"]],
    ["406", ["image/png", "text/csv;q=0"]],
  ])("is %s where Accept is one of %j", (expected, accepted) => {
    for (const accept of accepted) expect([accept, format(accept)]).toEqual([accept, expected]);
  });

  it("is the one in the query, whatever else is accepted", () => {
    expect(format("application/json", { format: "csv" })).toBe("csv");
    expect(format("image/png", { format: "json" })).toBe("json");
  });

  it("in the query must be one of the endpoint's, given once", () => {
    expect(format(undefined, { format: "hledger" })).toBe("422 query.format invalid_value");
    expect(format(undefined, { format: ["csv", "csv"] })).toBe("422 query.format repeated");
  });

  it("is JSON where the endpoint has no other, whatever is accepted", () => {
    expect(validated(viewProbe, { headers: { Accept: "text/csv" } }).status).toBe(200);
    expect(validated(viewProbe, { query: { format: "csv" } }).faults).toEqual([
      "query.format unknown_parameter",
    ]);
  });
});
