import { test } from "vitest";
import { proveCashMessages } from "../harness/conformance/cash-messages.ts";
import { proveNetworkMessages } from "../harness/conformance/network-messages.ts";
import { givenCashNetworkUnderTest, givenNetworkUnderTest } from "./given-conformance.ts";

/** Each run has seeds of its own: many short runs find what one long one would. */
const lifecycles = 700;

test("lifecycles of network messages in random order", { timeout: 600_000 }, async () => {
  await proveNetworkMessages(givenNetworkUnderTest, { lifecycles });
});

test("lifecycles of cash in random order", { timeout: 600_000 }, async () => {
  await proveCashMessages(givenCashNetworkUnderTest, { lifecycles });
});
