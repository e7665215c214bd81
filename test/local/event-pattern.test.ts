import { describe, expect, it } from "vitest";
import { compilePattern } from "../../infra/local/events/event-pattern.ts";

const matches = (pattern: unknown, event: unknown) => compilePattern(pattern)(event);

describe("an event pattern", () => {
  it.each<[string, unknown, unknown, boolean]>([
    ["a value", { a: ["x", 1] }, { a: 1 }, true],
    ["another value", { a: ["x", 1] }, { a: "1" }, false],
    ["null", { a: [null] }, { a: null }, true],
    ["an absent field", { a: [null] }, {}, false],
    ["every field", { a: ["x"], b: ["y"] }, { a: "x", b: "z" }, false],
    ["a nested field", { a: { b: ["x"] } }, { a: { b: "x", c: 1 } }, true],
    ["an element of an array", { a: ["x"] }, { a: ["w", "x"] }, true],
    ["an object in an array", { a: { b: ["x"] } }, { a: [{ b: "w" }, { b: "x" }] }, true],
    ["prefix", { a: [{ prefix: "ab" }] }, { a: "abc" }, true],
    ["prefix of another case", { a: [{ prefix: "ab" }] }, { a: "ABC" }, false],
    ["prefix whatever its case", { a: [{ prefix: { "equals-ignore-case": "ab" } }] }, { a: "ABC" }, true],
    ["suffix", { a: [{ suffix: ".png" }] }, { a: "b.png" }, true],
    ["equals-ignore-case", { a: [{ "equals-ignore-case": "ab" }] }, { a: "AB" }, true],
    ["wildcard", { a: [{ wildcard: "a*.c" }] }, { a: "abb.c" }, true],
    ["wildcard with a dot", { a: [{ wildcard: "a*.c" }] }, { a: "abbxc" }, false],
    ["anything-but", { a: [{ "anything-but": ["x", "y"] }] }, { a: "z" }, true],
    ["anything-but itself", { a: [{ "anything-but": ["x", "y"] }] }, { a: "y" }, false],
    ["anything-but of nothing", { a: [{ "anything-but": "x" }] }, {}, false],
    ["anything-but a prefix", { a: [{ "anything-but": { prefix: "x" } }] }, { a: "xy" }, false],
    ["exists", { a: [{ exists: true }] }, { a: 0 }, true],
    ["exists of nothing", { a: { b: [{ exists: false }] } }, {}, true],
    ["numeric", { a: [{ numeric: [">", 0, "<=", 5] }] }, { a: 5 }, true],
    ["numeric out of range", { a: [{ numeric: [">", 0, "<=", 5] }] }, { a: 6 }, false],
    ["numeric of a string", { a: [{ numeric: ["=", 5] }] }, { a: "5" }, false],
    ["$or", { $or: [{ a: ["x"] }, { b: ["y"] }] }, { b: "y" }, true],
    ["$or of neither", { $or: [{ a: ["x"] }, { b: ["y"] }] }, { b: "x" }, false],
  ])("compares %s", (_, pattern, event, expected) => {
    expect(matches(pattern, event)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["an operator it does not know", { a: [{ cidr: "10.0.0.0/8" }] }],
    ["two operators at once", { a: [{ prefix: "a", suffix: "b" }] }],
    ["a bare value", { a: "x" }],
    ["an empty list", { a: [] }],
    ["half a comparison", { a: [{ numeric: [">"] }] }],
  ])("refuses %s before any event comes", (_, pattern) => {
    expect(() => compilePattern(pattern)).toThrow("pattern.a");
  });
});
