import { describe, expect, it } from "vitest";
import { compilePattern } from "../events/event-pattern.ts";

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
    ["exists", { a: [{ exists: true }] }, { a: 0 }, true],
    ["exists of nothing", { a: { b: [{ exists: false }] } }, {}, true],
    ["a prefix", { a: [{ prefix: "in/" }] }, { a: "in/b" }, true],
    ["another prefix", { a: [{ prefix: "in/" }] }, { a: "reports/in/b" }, false],
    ["a suffix", { a: [{ suffix: ".amazonaws.com" }] }, { a: "dynamodb.amazonaws.com" }, true],
    ["another suffix", { a: [{ suffix: ".amazonaws.com" }] }, { a: "amazonaws.com.example" }, false],
    ["a wildcard", { a: [{ wildcard: "*:role/cdk-*-deploy" }] }, { a: "arn:role/cdk-1-deploy" }, true],
    ["a wildcard's other characters", { a: [{ wildcard: "a.c*" }] }, { a: "abc" }, false],
    ["anything but a value", { a: [{ "anything-but": "b" }] }, { a: "c" }, true],
    ["that value", { a: [{ "anything-but": ["b", "c"] }] }, { a: "c" }, false],
    ["anything but a prefix", { a: [{ "anything-but": { prefix: "b" } }] }, { a: "bc" }, false],
    ["anything but a value where there is none", { a: [{ "anything-but": "b" }] }, {}, false],
    ["a choice", { $or: [{ a: ["x"] }, { b: { c: ["y"] } }], d: ["z"] }, { b: { c: "y" }, d: "z" }, true],
    ["what is beside a choice", { $or: [{ a: ["x"] }, { b: ["y"] }], d: ["z"] }, { a: "x", d: "w" }, false],
    ["no choice", { $or: [{ a: ["x"] }, { b: ["y"] }] }, { a: "y", b: "x" }, false],
    ["exists where it must not", { a: [{ exists: false }] }, { a: 0 }, false],
  ])("compares %s", (_, pattern, event, expected) => {
    expect(matches(pattern, event)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["an operator it does not know", { a: [{ cidr: "10.0.0.0/8" }] }],
    ["a prefix that is no text", { a: [{ prefix: 1 }] }],
    ["an operator it does not know beside a value", { a: ["b", { numeric: [">", 1] }] }],
    ["two operators at once", { a: [{ exists: true, suffix: "b" }] }],
    ["a choice of one pattern", { $or: [{ a: ["x"] }] }],
    ["more than EventBridge takes", { a: Array(500).fill("text") }],
    ["a word where a truth is asked for", { a: [{ exists: "b" }] }],
    ["a bare value", { a: "x" }],
    ["an empty list", { a: [] }],
  ])("refuses %s before any event comes", (_, pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/^pattern(\.(a|\$or)| has \d+ characters)/);
  });
});
