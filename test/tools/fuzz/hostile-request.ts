import type { Route } from "../../../shared/contract/route.ts";
import type { CaseRequest } from "../../harness/cases/case.ts";
import type { Random } from "../../harness/random.ts";

/** Values that no well-meaning client sends, of every JSON type. */
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  -0.0000001,
  2 ** 53,
  -(2 ** 63),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  "",
  " ",
  "0",
  "NaN",
  "Infinity",
  "1e309",
  "null",
  "undefined",
  "\u0000",
  "\ud800",
  "\ufeffx",
  "\u202egnp.exe",
  "e\u0301".repeat(60),
  "𝒳".repeat(51),
  "a".repeat(10_000),
  "../../etc/passwd",
  "' OR 1=1 --",
  "#pk = :pk",
  "<script>alert(1)</script>",
  "$where",
  "2026-02-30T25:61:61.000Z",
  "9".repeat(400),
  [],
  {},
  [[[[[[]]]]]],
  { length: -1 },
  { $gt: "" },
  ["a", 1, null],
  { toString: "x", valueOf: 1 },
  Array.from({ length: 300 }, (_, index) => index),
];

/** Whole bodies as they are sent: what `JSON.stringify` would not write. */
const bodies: readonly string[] = [
  "",
  " ",
  "{",
  "null",
  "[]",
  "true",
  '"text"',
  "NaN",
  "{'amount':1}",
  '{"amount":NaN}',
  '{"amount":1e999}',
  '{"amount":-0}',
  '{"amount":1,"amount":"2"}',
  '{"__proto__":{"amount":1,"status":1}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"hasOwnProperty":1,"toString":null}',
  '\ufeff{"amount":1}',
  '{"a":"\\ud800"}',
  `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `{"name":"${"x".repeat(200_000)}"}`,
  "amount=1&status=2",
  "<xml/>",
];

const identifiers: readonly string[] = [
  "",
  "constructor",
  "__proto__",
  "..",
  "%00",
  "*",
  "crd_",
  "wlt_01J9ZC3P2V8Q4N6T0B5W7XKD1M",
  "crd_01j9zc3p2v8q4n6t0b5w7xkd1m",
  "chd_81J9ZC3P2V8Q4N6T0B5W7XKD1M",
  "ö".repeat(40),
  "a".repeat(500),
  "0",
  "-1",
  "#",
  "crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M#CARD",
];

const parameters = [
  "limit",
  "offset",
  "before",
  "after",
  "orderBy",
  "sort",
  "status",
  "__proto__",
  "constructor",
];
const texts = values.filter((value) => typeof value === "string").filter((text) => text.length < 500);
const contentTypes = [
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "",
];

/** One hostile thing, or several, done to a request that would succeed. */
export function hostile(route: Route, request: CaseRequest, random: Random): CaseRequest {
  let damaged = request;
  for (let blows = 1 + random.below(3); blows > 0; blows -= 1) damaged = blow(route, damaged, random);
  return damaged;
}

function blow(route: Route, request: CaseRequest, random: Random): CaseRequest {
  const names = Object.keys(request.path ?? {});
  const place = random.below(100);
  if (place < 15 && names.length > 0) {
    const name = random.pick(names);
    return { ...request, path: { ...request.path, [name]: random.pick(identifiers) } };
  }
  if (place < 35 && route.method === "GET")
    return { ...request, query: hostileQuery(route, request, random) };
  if (place < 45) return { ...request, headers: { ...request.headers, ...hostileHeaders(random) } };
  if (route.method === "GET" || route.method === "DELETE") {
    return { ...request, query: hostileQuery(route, request, random) };
  }
  if (random.chance(0.25)) return { ...request, body: random.pick(bodies) };
  if (typeof request.body !== "object" || request.body === null)
    return { ...request, body: random.pick(values) };
  return { ...request, body: hostileBody(route, request.body, random) };
}

function hostileQuery(route: Route, { query }: CaseRequest, random: Random): CaseRequest["query"] {
  const known = [...Object.keys(route.query?.shape ?? {}), ...parameters];
  const value = () => (random.chance(0.5) ? String(random.below(1_000) - 500) : random.pick(texts));
  const given = random.chance(0.2) ? [value(), value()] : value();
  return { ...query, [random.pick(known)]: given };
}

function hostileHeaders(random: Random): Record<string, string> {
  if (random.chance(0.4)) return { "Content-Type": random.pick(contentTypes) };
  return {
    "Idempotency-Key": random.pick(["", "a", "k".repeat(255), "k".repeat(256), "~ !#$%&", "repeated"]),
  };
}

/** A field, at any depth, taken out, replaced, or put in where there is none. */
function hostileBody(route: Route, body: object, random: Random): unknown {
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  const holders = [copy, ...Object.values(copy).filter((held) => typeof held === "object" && held !== null)];
  const holder = random.pick(holders) as Record<string, unknown>;
  const names = [...Object.keys(holder), ...Object.keys(route.body?.shape ?? {}), "unknown"];
  const name = random.pick(names);
  if (random.chance(0.2)) delete holder[name];
  else holder[name] = random.pick(values);
  return copy;
}
