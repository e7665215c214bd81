import { describe, it } from "vitest";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", playScenario);
});
