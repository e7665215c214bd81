import { test } from "vitest";
import { proveNetworkMessages } from "../../harness/conformance/network-messages.ts";
import { givenNetworkUnderTest } from "./given-conformance.ts";

test("2,000 lifecycles of network messages in random order", { timeout: 600_000 }, async () => {
  await proveNetworkMessages(givenNetworkUnderTest, { lifecycles: 2_000 });
});
