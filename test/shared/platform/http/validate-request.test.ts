import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathParameterNames } from "../../../../shared/contract/route.ts";
import { routes } from "../../../../shared/contract/routes.ts";
import { leastBody, postProbe, viewProbe, walletId } from "./probe-route.ts";
import { pathValues, validated } from "./validation.ts";

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
