import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { playRule, readRules } from "../../harness/card-model/money-rules.ts";

const rules = readRules(readFileSync(new URL("money-rules.txt", import.meta.url), "utf8"));

/** Through the reference model and the engine. Entrances test what they make of a message. */
describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("$rule", playRule);
});
