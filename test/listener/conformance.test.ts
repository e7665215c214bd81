import { test } from "vitest";
import { proveCashMessages } from "../harness/conformance/cash-messages.ts";
import { proveNetworkMessages } from "../harness/conformance/network-messages.ts";
import { givenCashNetworkUnderTest, givenNetworkUnderTest } from "./given-conformance.ts";

test("network messages in random order, with repetitions, end in the right hold", async () => {
  await proveNetworkMessages(givenNetworkUnderTest, { lifecycles: 10 });
});

test("those of cash, with their settlements, end in the right balance", async () => {
  await proveCashMessages(givenCashNetworkUnderTest, { lifecycles: 10 });
});
