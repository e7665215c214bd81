import { it } from "vitest";
import { expectSameBalances } from "./given-hold-events.ts";

it("events of one authorization in any order end in the same balances", () => expectSameBalances(25));
