import { expect, test } from "vitest";
import type { ControlRules } from "../../../shared/contract/controls.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork } from "../../harness/given-network.ts";

const country = (rule: object) => ({ merchants: { country: rule } }) as ControlRules;
const entryModes = (rule: object) => ({ entryModes: rule }) as ControlRules;

test.each<[ControlRules, "merchantCountry" | "entryMode", boolean]>([
  [country({ block: ["FR"] }), "merchantCountry", false],
  [country({ allow: ["DE"] }), "merchantCountry", false],
  [entryModes({ block: ["recurring"] }), "entryMode", false],
  [entryModes({ allow: ["chip"] }), "entryMode", false],
  [entryModes({ block: ["recurring"] }), "merchantCountry", true],
  [country({ block: ["FR"] }), "entryMode", true],
])("a control of %o meets what cannot be read: %s", async (rules, unread, approved) => {
  const network = await givenNetwork();
  await givenActiveControls(network, [{ owner: "card", rules }]);
  const event = { kind: "authorization", authorizationId: "A1", amount: 1_000, unread: [unread] } as const;
  expect((await network.apply({ ...event, unread: [unread] })).approved).toBe(approved);
  const cash = { kind: "atm_withdrawal", amount: 500, unread: [unread] } as const;
  expect((await network.apply({ ...cash, unread: [unread] })).approved).toBe(approved);
});
