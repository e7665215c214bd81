import { test } from "vitest";
import { proveCashMessages } from "../harness/conformance/cash-messages.ts";
import { proveNetworkMessages } from "../harness/conformance/network-messages.ts";
import { givenCashNetworkUnderTest, givenNetworkUnderTest } from "./given-conformance.ts";

test("2,000 lifecycles of network messages in random order", { timeout: 600_000 }, async () => {
  await proveNetworkMessages(givenNetworkUnderTest, { lifecycles: 2_000 });
});

test("2,000 lifecycles of cash in random order", { timeout: 600_000 }, async () => {
  await proveCashMessages(givenCashNetworkUnderTest, { lifecycles: 2_000 });
});
