import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { paragraphs, text } from "../../shared/contract/primitives.ts";
import { isPortable, portablePattern } from "../tools/openapi/portable-pattern.ts";

describe("a pattern", () => {
  it.each([
    ["^\\d{4}(-\\d{4})?$", "^[0-9]{4}(-[0-9]{4})?$"],
    ["^[\\w-]+\\.\\.[\\w-]*$", "^[A-Za-z0-9_-]+\\.\\.[A-Za-z0-9_-]*$"],
    ["^[^\\p{Cc}\\p{Cs}]*$", "^[^\\x00-\\x1f\\x7f-\\x9f]*$"],
    ["^(?:[^\\p{Cc}\\p{Cs}]|[\\n\\r\\t])*$", "^(?:[^\\x00-\\x1f\\x7f-\\x9f]|[\\n\\r\\t])*$"],
    ["^(?:Etc/UTC|(?:Asia|Europe)/[A-Za-z_/-]+)$", "^(?:Etc/UTC|(?:Asia|Europe)/[A-Za-z_/-]+)$"],
    ["^[+’]{0,3}\\\\$", "^[+’]{0,3}\\\\$"],
  ])("%s is published as %s", (pattern, published) => {
    expect(portablePattern(pattern)).toBe(published);
  });

  it.each([
    ["a property", "^\\p{L}+$"],
    ["a property in a set", "^[\\p{Script=Latin}\\d]*$"],
    ["a negative lookahead", "^(?!crd_)"],
    ["a lookahead", "^P(?=\\d)"],
    ["a lookbehind", "(?<=a)b"],
    ["a named group", "(?<year>\\d{4})"],
    ["flags", "(?i)abc"],
    ["a reference to a group", "(a)\\1"],
    ["a word's boundary, which has another meaning in Python", "\\bcard\\b"],
    ["blanks, which are others in each", "^\\s+$"],
    ["any character, which may be a line break in one", "^.$"],
    ["all but digits", "^\\D$"],
    ["a code point of JavaScript", "^\\u{1F600}$"],
    ["four hexadecimal digits, unknown to Go", "^\\u00e9$"],
    ["a character that is two in JavaScript", "^😀$"],
    ["half a character", "^\ud800$"],
    ["an empty set", "[]"],
    ["a set in a set", "[a[b]]"],
    ["a difference of sets", "[a-z--b]"],
    ["an intersection of sets", "[a-z&&b]"],
    ["a lazy quantifier", "a+?"],
    ["a possessive quantifier", "a++"],
    ["more than RE2 repeats", "^a{1001}$"],
    ["a brace that is none in JavaScript alone", "a{,3}"],
    ["a group without end", "(a"],
    ["an end without group", "a)"],
    ["a quantifier without anything", "*a"],
    ["a broken off escape", "a\\"],
  ])("with %s is not", (_, pattern) => {
    expect(portablePattern(pattern)).toBeUndefined();
  });

  it.each([
    ["text", text(100), "^[^\\p{Cc}\\p{Cs}]*$"],
    ["paragraphs", paragraphs(100), "^(?:[^\\p{Cc}\\p{Cs}]|[\\n\\r\\t])*$"],
  ])("of %s takes what the contract takes", (_, schema, pattern) => {
    const published = new RegExp(String(portablePattern(pattern)), "u");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 5 }), (value) => {
        expect(published.test(`a${value}`)).toBe(schema.safeParse(`a${value}`).success);
      }),
      { numRuns: 400 },
    );
  });
});

describe("the reference, and so every tool", () => {
  let patterns: string[];
  beforeAll(async () => {
    patterns = [];
    JSON.stringify(
      JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8")),
      (key, value) => {
        if (key === "pattern" && typeof value === "string") patterns.push(value);
        return value;
      },
    );
  });

  it("has patterns that mean the same in each language", () => {
    expect(patterns.length).toBeGreaterThan(100);
    expect(patterns.filter((pattern) => !isPortable(pattern) || pattern.includes("\\d"))).toEqual([]);
  });

  it("still says which characters a text has", () => {
    expect(patterns).toContain("^[^\\x00-\\x1f\\x7f-\\x9f]*$");
  });
});
