import { describe, it } from "vitest";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";

skipLeaseWaits();

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", playScenario);
});
