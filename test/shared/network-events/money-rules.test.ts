import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardNetworkEvents } from "../../../shared/contract/card-network.ts";
import { disputeCommand } from "../../harness/card-model/dispute-sequences.ts";
import { playRule, readRules, verbs } from "../../harness/card-model/money-rules.ts";
import { command } from "../../harness/card-model/sequences.ts";
import { toEvent } from "../../harness/card-model/to-event.ts";

const rules = readRules(readFileSync(new URL("money-rules.txt", import.meta.url), "utf8"));

/** Through the reference model and the engine. Entrances test what they make of a message. */
describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("$rule", playRule);
});

describe("the reference model", () => {
  it("makes each kind of the network's events", () => {
    const commands = fc.sample(fc.oneof(command, disputeCommand), { numRuns: 2_000, seed: 1 });
    const made = new Set(commands.map((one) => toEvent(one as never, "crd_1", new Map())?.kind));
    const missing = cardNetworkEvents.map(({ shape }) => shape.kind.value).filter((kind) => !made.has(kind));
    expect(missing, "They need a command in test/harness/card-model: see docs/changing.md").toEqual([]);
  });

  it("has a rule for each verb", () => {
    const words = new Set(rules.flatMap(({ rows }) => rows.flatMap(({ steps }) => steps.split(/[ ,]+/))));
    const unused = Object.keys(verbs).filter((verb) => !words.has(verb));
    expect(unused, "They need a row in money-rules.txt").toEqual([]);
  });
});
