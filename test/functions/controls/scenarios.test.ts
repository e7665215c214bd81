import { describe, it } from "vitest";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { playScenario, readScenarios } from "../../harness/scenarios/scenario.ts";

skipLeaseWaits();
useReceiverHosts("decisions.example.com");

describe.each(readScenarios(import.meta.dirname))("$of", ({ rows }) => {
  it.each(rows)("%s", playScenario);
});
