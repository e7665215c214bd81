import type { APIGatewayProxyEvent } from "aws-lambda";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathParameterNames, type Route } from "../../../../shared/contract/route.ts";
import { routes } from "../../../../shared/contract/routes.ts";
import { ApiError } from "../../../../shared/platform/http/api-error.ts";
import { validateRequest } from "../../../../shared/platform/http/serve-request.ts";
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

function catchError(act: () => unknown): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error("It was not rejected.");
}

const post = (body: unknown) => validated(postProbe, { body });
const withField = (name: string, value: unknown) => post({ ...leastBody, [name]: value });

describe("a request's body", () => {
  it("reaches the operation with its defaults and without undeclared fields", () => {
    const { status, body } = post({ ...leastBody, unknown: 1, address: { line1: "l", more: {} } }) as never;
    expect({ status, body }).toEqual({ status: 200, body: { ...leastBody, flag: false } });
  });

  it.each([
    ["broken JSON", "{", "invalid_json"],
    ["a number that JSON does not know", '{"amount": NaN}', "invalid_json"],
    ["a byte order mark", `\ufeff${JSON.stringify(leastBody)}`, "invalid_json"],
    ["an array", "[]", "not_an_object"],
    ["null", "null", "not_an_object"],
    ["a string", '"text"', "not_an_object"],
    ["a number", "1", "not_an_object"],
    ["nothing", "", "empty_body"],
    ["blanks", " \n\t", "empty_body"],
  ])("400: %s is malformed", (_, body, code) => {
    expect(post(body)).toEqual({ status: 400, faults: [`body ${code}`] });
  });

  it("400: is missing but required", () => {
    expect(validated(postProbe, {})).toEqual({ status: 400, faults: ["body empty_body"] });
    expect(validated(putProbe, {})).toEqual({ status: 400, faults: ["body empty_body"] });
  });

  it("can be omitted for an action without required fields", () => {
    expect(validated(actOnProbe, {})).toMatchObject({ status: 200, body: {} });
  });

  it("is ignored if the route declares none", () => {
    expect(validated(viewProbe, { body: "{" })).toMatchObject({ status: 200, body: undefined });
  });

  it.each([
    ["a string for an integer", "amount", "1"],
    ["a boolean for an integer", "amount", true],
    ["an object for an integer", "amount", {}],
    ["an integer for a string", "name", 1],
    ["a string for an integer enum", "kind", "0"],
    ["a boolean for an integer enum", "kind", false],
    ["an integer for a string enum", "chain", 1],
    ["a string for a boolean", "flag", "true"],
    ["an integer for a boolean", "flag", 1],
    ["a string for an object", "address", "l"],
    ["an array for an object", "address", []],
    ["null for an optional string", "note", null],
    ["null for an optional enum", "chain", null],
    ["null for a field with a default", "flag", null],
  ])("400: %s is a wrong type", (_, name, value) => {
    const { status, faults } = withField(name, value);
    expect(status).toBe(400);
    expect(faults).toEqual([expect.stringMatching(`^body\\.${name} `)]);
  });

  it.each([
    ["amount", 1.5, "must be a whole number"],
    ["amount", "1", "must be of type number"],
    ["name", 1, "must be of type string"],
    ["flag", "true", "must be of type boolean"],
    ["address", [], "must be of type object"],
    ["kind", 7, "must be one of 0, 1"],
  ])("says of %s, if it is %j, that it %s", (name, value, message) => {
    const body = { ...leastBody, [name]: value };
    const input = apiEvent({ path: { walletId }, body, route: `${postProbe.method} ${postProbe.path}` });
    expect(catchError(() => validateRequest(postProbe, input)).faults).toMatchObject([{ message }]);
  });

  it.each([
    ["a fraction for an integer", "amount", 1.5],
    ["zero for a positive amount", "amount", 0],
    ["more than the largest amount", "amount", 100_000_000_001],
    ["more than a number holds", "amount", 1e300],
    ["an integer outside the enum", "kind", 2],
    ["a fraction for an integer enum", "kind", 0.5],
    ["a string outside the enum", "chain", "dogecoin"],
    ["a string over its length", "name", "x".repeat(11)],
    ["an empty string", "name", ""],
    ["a blank string", "name", "  "],
    ["a control character", "name", "a\u0000b"],
    ["half a surrogate pair", "name", "a\ud800"],
    ["null for a required integer", "amount", null],
    ["null for a required enum", "kind", null],
    ["null for a required object", "address", null],
  ])("422: %s is a wrong value", (_, name, value) => {
    const { status, faults } = withField(name, value);
    expect(status).toBe(422);
    expect(faults).toContainEqual(expect.stringMatching(`^body\\.${name} `));
  });

  it("422: a number too large for JSON is a wrong value", () => {
    const body = JSON.stringify({ ...leastBody, amount: 7 }).replace("7", "1e999");
    expect(post(body)).toEqual({ status: 422, faults: ["body.amount invalid_type"] });
  });

  it("says of a missing field that it is required, and of a wrong one what is wrong", () => {
    const body = { name: 1, address: {} };
    const event = apiEvent({ route: "POST /probes", path: { walletId }, body });
    const rejected = catchError(() => validateRequest(postProbe, event));
    expect(rejected.faults.map(({ path, message }) => `${path} ${message}`)).toEqual([
      "body.name must be of type string",
      "body.amount is required",
      "body.kind is required",
      "body.address.line1 is required",
    ]);
  });

  it("422: names each missing field, nested ones by their path", () => {
    expect(post({ address: {} })).toEqual({
      status: 422,
      faults: [
        "body.name invalid_type",
        "body.amount invalid_type",
        "body.kind invalid_value",
        "body.address.line1 invalid_type",
      ],
    });
  });

  it("distinguishes required from optional fields in a nested object", () => {
    expect(withField("address", { line1: null }).status).toBe(422);
    expect(withField("address", { line1: "l", line2: null }).status).toBe(400);
  });

  it("400: lists wrong values beside wrong types", () => {
    expect(post({ name: 1, amount: 0, kind: 9, address: { line1: "" } })).toEqual({
      status: 400,
      faults: [
        "body.name invalid_type",
        "body.amount too_small",
        "body.kind invalid_value",
        "body.address.line1 too_small",
        "body.address.line1 custom",
      ],
    });
  });

  it("accepts base64 from the gateway", () => {
    const body = Buffer.from(JSON.stringify(leastBody)).toString("base64");
    expect(validated(postProbe, { event: { body, isBase64Encoded: true } }).status).toBe(200);
  });

  it("400: base64 of bytes that are not UTF-8", () => {
    const body = Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]).toString("base64");
    expect(validated(postProbe, { event: { body, isBase64Encoded: true } })).toEqual({
      status: 400,
      faults: ["body invalid_utf8"],
    });
  });

  const declaring = (contentType: string, body: unknown = leastBody) =>
    validated(postProbe, { body, headers: { "Content-Type": contentType } });

  it.each([
    "application/json; charset=iso-8859-1",
    "application/json;charset=windows-1252",
    'application/json; charset="ISO-8859-15"',
    "application/json; profile=x; CHARSET = utf-16",
    "application/json; charset=us-ascii",
    "application/json; charset=",
  ])("415: %s is another charset, whatever the body", (contentType) => {
    expect(declaring(contentType)).toEqual({ status: 415, faults: [] });
    expect(declaring(contentType, "{").status).toBe(415);
    expect(declaring(contentType, "").status).toBe(400);
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "text/plain; charset=utf8",
    "x; my-charset=latin1",
  ])("takes UTF-8 as %s", (contentType) => {
    expect(declaring(contentType).status).toBe(200);
  });

  it.each([
    ["Latin-1", Buffer.from('{"name": "Müller"}', "latin1")],
    ["an overlong form", Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d])],
    ["a surrogate", Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d])],
    ["a character that is cut", Buffer.from('{"name": "ü').subarray(0, -1)],
  ])("400: %s is not UTF-8", (_, bytes) => {
    const event = { body: bytes.toString("base64"), isBase64Encoded: true };
    expect(validated(postProbe, { event })).toEqual({ status: 400, faults: ["body invalid_utf8"] });
  });

  it("400: a byte order mark in base64 too", () => {
    const body = Buffer.from(`\ufeff${JSON.stringify(leastBody)}`).toString("base64");
    expect(validated(postProbe, { event: { body, isBase64Encoded: true } })).toEqual({
      status: 400,
      faults: ["body invalid_json"],
    });
  });

  it("400: a prototype is not a set of fields", () => {
    expect(post('{"__proto__": {"name": "n", "amount": 1, "kind": 0}}').status).toBe(422);
    expect(
      post(`{"constructor": {"prototype": {"flag": true}}, ${JSON.stringify(leastBody).slice(1)}`),
    ).toMatchObject({
      status: 200,
      body: { ...leastBody, flag: false },
    });
    expect(({} as { flag?: boolean }).flag).toBeUndefined();
  });

  it("400: an object that passes for a length cannot be compared with one", () => {
    const length = { toString: "x", valueOf: 1 };
    expect(withField("name", { length })).toEqual({ status: 400, faults: ["body incomparable_value"] });
    for (const name of Object.keys(leastBody)) {
      expect([400, 422]).toContain(withField(name, { length, size: length }).status);
    }
  });

  it("survives deep nesting", () => {
    const endless = "[".repeat(300_000) + "]".repeat(300_000);
    const fields = JSON.stringify(leastBody).slice(1);
    expect(post(`{"unknown": ${endless}, ${fields}`).status).toBe(200);
    expect(post(`{"unknown": ${endless}, "name": null}`).status).toBe(422);
    expect(post(`{"address": ${endless}, "name": "n", "amount": 1, "kind": 0}`).status).toBe(400);
    expect(post(`{"address": {"line2": ${endless}}, "name": "n", "amount": 1, "kind": 0}`).status).toBe(400);
  });

  it("survives strings and field lists of megabytes", () => {
    expect(withField("name", "x".repeat(5_000_000)).status).toBe(422);
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, null]));
    expect(post({ ...many, ...leastBody }).status).toBe(200);
  });
});

describe("rules over several fields", () => {
  const routeOf = (key: string) => {
    const found = routes.find((route) => `${route.method} ${route.path}` === key);
    if (!found) throw new Error(`No ${key}.`);
    return found;
  };

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
    expect(validated(route, { body: transfer }).faults).toEqual([
      "body.amount too_small",
      "body.destinationId custom",
    ]);
    expect(validated(route, { body: { ...transfer, destinationType: 1, amount: 1 } }).status).toBe(200);
    expect(validated(route, { body: { destinationType: 0, amount: 1 } }).faults).toEqual([
      "body.sourceWalletId invalid_type",
      "body.destinationId invalid_type",
    ]);
  });
});

const list = (query: Record<string, string | string[]>) => validated(listProbes, { query });

describe("a request's query", () => {
  it("has the declared defaults", () => {
    expect(list({})).toMatchObject({
      status: 200,
      query: { orderBy: "name", sort: "desc", limit: 50, offset: 0 },
    });
  });

  it("arrives as numbers if the schema declares numbers", () => {
    expect(
      list({ limit: "200", offset: "400", status: "1", before: "1795161600", after: "0" }),
    ).toMatchObject({
      query: { limit: 200, offset: 400, status: 1, before: 1_795_161_600, after: 0 },
    });
  });

  it.each([
    ["limit", "0"],
    ["limit", "-1"],
    ["limit", "201"],
    ["limit", "1.5"],
    ["limit", "1e2"],
    ["limit", "0x10"],
    ["limit", "ten"],
    ["limit", ""],
    ["limit", " 5"],
    ["limit", "99999999999999999999"],
    ["limit", "NaN"],
    ["limit", "٣"],
    ["offset", "-1"],
    ["offset", "0.5"],
    ["status", "2"],
    ["status", "-1"],
    ["status", "one"],
    ["status", "1,0"],
    ["orderBy", "Name"],
    ["orderBy", "__proto__"],
    ["sort", "up"],
    ["sort", "DESC"],
    ["before", "2026-01-01"],
    ["before", "-5"],
    ["after", "1.5"],
    ["cardId", "crd_1"],
  ])("422: %s=%s", (name, value) => {
    const { status, faults } = list({ [name]: value });
    expect(status).toBe(422);
    expect(faults).toEqual([expect.stringMatching(`^query\\.${name} `)]);
  });

  it("422: lists every fault", () => {
    expect(list({ limit: "x", offset: "-1", sort: "up", status: "9", before: "then" }).faults).toHaveLength(
      5,
    );
  });

  it("422: a parameter that is given twice, even with one value", () => {
    expect(list({ limit: ["5", "5"] })).toEqual({ status: 422, faults: ["query.limit repeated"] });
  });

  it.each([
    "programId",
    "Limit",
    "cardID",
    "limit ",
    "limit[]",
    "format",
    "",
    "constructor",
    "toString",
    "hasOwnProperty",
    "__proto__",
  ])("422: %j is no parameter of the list", (name) => {
    const query = JSON.parse(`{${JSON.stringify(name)}: ["a", "b"]}`);
    expect(list(query)).toEqual({ status: 422, faults: [`query.${name} unknown_parameter`] });
    expect(list({ limit: "0", ...query }).faults).toHaveLength(2);
  });

  it("422: names what the endpoint takes instead, also where it takes nothing", () => {
    const messageOf = (route: Route, name: string) => {
      const event = apiEvent({ route: "GET /probes", path: { walletId }, query: { [name]: "x" } });
      try {
        validateRequest(route, event);
      } catch (error) {
        return (error as ApiError).faults.map(({ message }) => message);
      }
    };
    expect(messageOf(listProbes, "cardid")).toEqual([
      "is not a parameter of this endpoint, which takes after, before, cardId, limit, offset, orderBy, sort, status",
    ]);
    expect(messageOf(exportProbe, "fromat")).toEqual([
      "is not a parameter of this endpoint, which takes format",
    ]);
    for (const route of [viewProbe, postProbe])
      expect(messageOf(route, "limit")).toContain("is not a parameter of this endpoint, which takes none");
  });

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "422: %s takes no undeclared parameter",
    (_, route) => {
      const path = Object.fromEntries(
        pathParameterNames(route.path).map((name) => [name, pathValues[name] ?? walletId]),
      );
      const { status, faults } = validated(route, {
        path,
        query: { statsu: "1" },
        ...(route.lines && { headers: { "Content-Type": "application/x-ndjson" }, body: "{}" }),
      });
      expect(faults).toContain("query.statsu unknown_parameter");
      // A body that is missing beside it is 400.
      expect([400, 422]).toContain(status);
    },
  );
});

describe("a path parameter", () => {
  it.each([
    "",
    "wlt_",
    "wlt_1",
    walletId.toLowerCase(),
    ` ${walletId}`,
    `${walletId}\n`,
    `${walletId}#CARD`,
    "../wallets",
    "%00",
    "x".repeat(100_000),
    "__proto__",
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

  it("hashes the validated request: field order, unknown fields and explicit defaults do not matter", () => {
    const { name, ...others } = leastBody;
    expect(hash({ ...others, name, flag: false, unknown: 1 })).toBe(hash(leastBody));
    expect(hash({ ...leastBody, amount: 2 })).not.toBe(hash(leastBody));
  });

  it.each([
    ["empty", ""],
    ["too long", "k".repeat(256)],
    ["not printable", "a\tb"],
    ["not ASCII", "clé"],
  ])("422: is %s, listed beside the body's faults", (_, key) => {
    expect(withKey(key)).toEqual({ status: 422, faults: ["header.Idempotency-Key invalid_format"] });
    expect(withKey(key, { ...leastBody, amount: 0 }).faults).toHaveLength(2);
  });

  it("accepts 255 characters", () => {
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
  const pathOf = (path: string) =>
    Object.fromEntries(pathParameterNames(path).map((name) => [name, pathValues[name] ?? walletId]));

  it.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s answers any JSON with 200, 400 or 422",
    (_, route) => {
      const fields = Object.keys({ ...route.body?.shape, ...route.query?.shape });
      const field = fields.length === 0 ? fc.string() : fc.constantFrom(...fields);
      const body = fc.oneof(fc.dictionary(field, fc.jsonValue()), fc.jsonValue());
      const query = fc.dictionary(field, fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 1 })));
      const anything = fc.tuple(
        fc.oneof(
          body.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
        query,
      );
      fc.assert(
        fc.property(anything, ([text, parameters]) => {
          const request = { body: text, query: parameters, path: pathOf(route.path) };
          const { status, faults } = validated(route, request);
          expect([200, 400, 422]).toContain(status);
          expect(faults.length > 0).toBe(status !== 200);
        }),
        { numRuns: 60 },
      );
    },
  );
});

const format = (accept?: string, query: Record<string, string | string[]> = {}) => {
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };
  const { status, faults, ...found } = validated(exportProbe, { headers, query });
  return status === 200 ? (found as { format?: string }).format : [status, ...faults].join(" ");
};

describe("the format of an answer", () => {
  it.each([
    ["*/*", "json"],
    ["", "json"],
    ["application/json", "json"],
    ["text/csv", "csv"],
    ["TEXT/CSV; charset=utf-8", "csv"],
    ["text/*", "csv"],
    ["application/pdf", "pdf"],
    ["text/csv;q=0.2, application/xml;q=0.9, */*;q=0.1", "camt053"],
    ["text/html, application/xml;q=0.9, */*;q=0.8", "camt053"],
    ["application/json;q=0, */*", "csv"],
    ["application/*", "json"],
    ["image/png", "406"],
    ["text/csv;q=0", "406"],
    ["text/html, application/pdf", "pdf"],
  ])("Accept: %s gives %s", (accept, expected) => {
    expect(format(accept)).toBe(expected);
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
