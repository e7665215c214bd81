import { test } from "vitest";
import { proveNetworkMessages } from "../../harness/conformance/network-messages.ts";
import { givenNetworkUnderTest } from "./given-conformance.ts";

test("network messages in random order, with repetitions, end in the right hold", async () => {
  await proveNetworkMessages(givenNetworkUnderTest, { lifecycles: 40 });
});
