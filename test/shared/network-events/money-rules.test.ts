import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { playRule, readRules } from "../../harness/card-model/money-rules.ts";

const rules = readRules(readFileSync(new URL("money-rules.txt", import.meta.url), "utf8"));

/** Through the reference model and the real engine. What brings the events is tested beside its entrance. */
describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("$rule", playRule);
});
