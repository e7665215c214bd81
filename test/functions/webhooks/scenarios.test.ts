import { describe, it } from "vitest";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";

useReceiverHosts("hooks.example.com");

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", playScenario);
});
