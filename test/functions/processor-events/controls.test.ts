import { afterEach, describe, expect, it, test, vi } from "vitest";
import type { ControlRules } from "../../../shared/contract/controls.ts";
import { ChargebackDecision } from "../../../shared/contract/enums.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { usageOf } from "./usage-of.ts";

const kind = "authorization";
const shop = {
  mcc: "5411",
  merchantId: "M1",
  merchantCountry: "DE",
  srcCurrency: "978",
  entryMode: "chip",
} as const;

/** What a purchase of 10.00 is, other than by `shop`; absent fields are not sent. */
const unsent = { mcc: undefined, merchantId: undefined, merchantCountry: undefined, entryMode: undefined };

const sentRight = { verification: { cvc: "match" } };
const verified = {
  verification: {
    cvc: "mismatch",
    addressLine: "mismatch",
    expiry: "not_checked",
    threeDS: "attempted",
    entryCapability: "magstripe",
    storedCredential: "unscheduled",
  },
};

async function given(rules: ControlRules, owner: "program" | "cardholder" | "card" = "card") {
  const network = await givenNetwork({ availableMinor: 100_000 });
  const [controlId] = await givenActiveControls(network, [{ owner, rules }]);
  let count = 0;
  const purchase = async (fields: object = {}, amount = 1_000) => {
    count += 1;
    const event = { kind, authorizationId: `A${count}`, amount, ...shop, ...fields };
    return network.apply(JSON.parse(JSON.stringify(event)) as Told);
  };
  const isApproved = async (fields?: object, amount?: number) => (await purchase(fields, amount)).approved;
  return { ...network, controlId, purchase, isApproved };
}

describe("a control declines", () => {
  test.each<[string, ControlRules, object, boolean]>([
    ["an MCC that is not allowed", { merchants: { mcc: { allow: ["5541", "5542"] } } }, {}, false],
    ["no MCC that is allowed", { merchants: { mcc: { allow: ["5541", "5411"] } } }, {}, true],
    ["no MCC of an allowed range", { merchants: { mcc: { allow: ["5400-5411"] } } }, {}, true],
    ["an MCC of a blocked range", { merchants: { mcc: { block: ["5411-5499"] } } }, {}, false],
    ["no MCC beside a blocked range", { merchants: { mcc: { block: ["5412-5499"] } } }, {}, true],
    [
      "a purchase without an MCC where some are allowed",
      { merchants: { mcc: { allow: ["5411"] } } },
      unsent,
      false,
    ],
    [
      "no purchase without an MCC where some are blocked",
      { merchants: { mcc: { block: ["5411"] } } },
      unsent,
      true,
    ],
    ["a blocked country", { merchants: { country: { block: ["FR", "DE"] } } }, {}, false],
    ["a country that is not allowed", { merchants: { country: { allow: ["FR"] } } }, {}, false],
    ["no allowed merchant", { merchants: { merchantId: { allow: ["M1"] } } }, {}, true],
    ["a merchant that is not allowed", { merchants: { merchantId: { allow: ["M2"] } } }, {}, false],
    ["an entry mode that is not allowed", { entryModes: { allow: ["contactless"] } }, {}, false],
    ["no allowed entry mode", { entryModes: { allow: ["contactless", "chip"] } }, {}, true],
    ["an unknown entry mode where some are allowed", { entryModes: { allow: ["chip"] } }, unsent, false],
    ["a code that was wrong", { verification: { cvc: { block: ["mismatch"] } } }, verified, false],
    ["no code that was right", { verification: { cvc: { allow: ["match"] } } }, sentRight, true],
    [
      "a code that was not sent where it must match",
      { verification: { cvc: { allow: ["match"] } } },
      {},
      false,
    ],
    [
      "a postal code that was not sent",
      { verification: { postalCode: { block: ["not_present"] } } },
      {},
      false,
    ],
    [
      "no line where it may be wrong",
      { verification: { addressLine: { block: ["not_present"] } } },
      verified,
      true,
    ],
    [
      "an expiry that was not checked",
      { verification: { expiry: { block: ["not_checked"] } } },
      verified,
      false,
    ],
    ["a purchase without a PIN", { verification: { pin: { allow: ["match"] } } }, sentRight, false],
    [
      "a payer who was not authenticated",
      { verification: { threeDS: { block: ["not_present"] } } },
      {},
      false,
    ],
    ["no payer who was", { verification: { threeDS: { allow: ["attempted"] } } }, verified, true],
    ["a terminal that cannot read chips", { entryCapabilities: { allow: ["chip"] } }, verified, false],
    ["a terminal that does not say what it reads", { entryCapabilities: { block: ["unknown"] } }, {}, false],
    ["what is charged without the payer", { storedCredential: { block: ["unscheduled"] } }, verified, false],
    ["no card that is not kept", { storedCredential: { block: ["unscheduled"] } }, {}, true],
    ["a card that is not kept where it must be", { storedCredential: { allow: ["cardholder"] } }, {}, false],
    ["a currency that is not allowed", { currencies: { allow: ["840"] } }, {}, false],
    [
      "no purchase in the card's own currency",
      { currencies: { allow: ["840"] } },
      { srcCurrency: undefined },
      true,
    ],
    ["cash at a machine", { cash: "block" }, { mcc: "6011" }, false],
    ["no purchase where cash is blocked", { cash: "block" }, {}, true],
    ["more than an authorization's limit", { velocity: { amount: 999, window: "authorization" } }, {}, false],
    ["no authorization of its limit", { velocity: { amount: 1_000, window: "authorization" } }, {}, true],
    [
      "what one of its rules declines",
      { velocity: { amount: 1_000, window: "day" }, merchants: { mcc: { allow: ["5541"] } } },
      {},
      false,
    ],
  ])("%s", async (_, rules, fields, approved) => {
    const { purchase, controlId, record } = await given(rules);
    const result = await purchase(fields);
    expect(result.approved).toBe(approved);
    if (approved) return;
    expect(result).toMatchObject({ declineReason: "CONTROL_DECLINED", controlId, amount: 0 });
    expect(await record(result.transId)).toMatchObject({ declineReason: "CONTROL_DECLINED", controlId });
  });

  it("ATM withdrawals where cash is blocked, but no advice of one", async () => {
    const { apply, controlId, cardBalances } = await given({ cash: "block" });
    expect(await apply({ kind: "atm_withdrawal", amount: 1_000, feeAmount: 0 })).toMatchObject({
      approved: false,
      declineReason: "CONTROL_DECLINED",
      controlId,
    });
    expect(await cardBalances()).toEqual([100_000, 0, 100_000]);
    const advice = { kind: "atm_withdrawal", amount: 1_000, feeAmount: 0, advice: true } as const;
    expect(await apply(advice)).toMatchObject({ approved: true });
  });

  it("everything after the first approval of a single use, but no increment of it", async () => {
    const { isApproved, apply } = await given({ singleUse: true });
    expect(await isApproved()).toBe(true);
    expect(await isApproved()).toBe(false);
    const increment = { kind: "authorization_incremental", authorizationId: "A1", amount: 1 } as const;
    expect(await apply(increment)).toMatchObject({ approved: true });
    await apply({ kind: "authorization_reversal", authorizationId: "A1" });
    expect(await isApproved()).toBe(false);
  });

  it("all merchants but that of the first approval, where they are locked", async () => {
    const { isApproved } = await given({ merchantLock: true });
    expect(await isApproved(unsent)).toBe(false);
    expect(await isApproved({ merchantId: "M7" })).toBe(true);
    expect(await isApproved()).toBe(false);
    expect(await isApproved(unsent)).toBe(false);
    expect(await isApproved({ merchantId: "M7" })).toBe(true);
  });
});

describe("velocity", () => {
  it("is exact among authorizations at once", async () => {
    const { isApproved, cardBalances } = await given({ velocity: { amount: 5_000, window: "day" } });
    const results = await Promise.all(Array.from({ length: 12 }, () => isApproved()));
    expect(results.filter((approved) => approved)).toHaveLength(5);
    expect(await cardBalances()).toEqual([95_000, 5_000, 100_000]);
  });

  it("counts nothing of a refund, a chargeback, and what becomes of them", async () => {
    const { apply, programId, controlId = "" } = await given({ velocity: { amount: 5_000, window: "day" } });
    const { transId: originalTransId = "" } = await apply({ kind: "clearing", amount: 3_000 });
    const counted = { used: { amount: 3_000, count: 1 }, sum: { amount: 3_000, count: 1 } };
    const { transId: refund = "" } = await apply({ kind: "refund", amount: 500, originalTransId });
    expect(await usageOf(programId, controlId)).toEqual(counted);
    await apply({ kind: "refund_reversal", transId: refund });
    const { chargebackId = "" } = await apply({ kind: "chargeback", transId: originalTransId });
    expect(await usageOf(programId, controlId)).toEqual(counted);
    await apply({ kind: "chargeback_outcome", chargebackId, status: ChargebackDecision.lost });
    expect(await usageOf(programId, controlId)).toEqual(counted);
  });
});

it("of several controls, the one that leaves the least is named", async () => {
  const network = await givenNetwork();
  const velocity = (amount: number) => ({ velocity: { amount, window: "day" as const } });
  const ids = await givenActiveControls(network, [
    { owner: "program", rules: velocity(500) },
    { owner: "cardholder", rules: velocity(300) },
    { owner: "card", rules: velocity(400) },
    { owner: "card", rules: velocity(10_000) },
  ]);
  const result = await network.apply({ kind, authorizationId: "A", amount: 501 });
  expect(result).toMatchObject({ approved: false, controlId: ids[1] });
});

describe("an authorization under ten controls", () => {
  afterEach(() => vi.useRealTimers());

  it("takes two round trips: approved or declined, and with the Program's controls read anew", async () => {
    const network = await givenNetwork();
    const velocity = (amount: number) => ({ velocity: { amount, window: "day" as const } });
    const owners = ["program", "cardholder", "card"] as const;
    const given = Array.from({ length: 10 }, (_, index) => ({
      owner: owners[index % 3] ?? "card",
      rules: velocity(2_000 + index),
    }));
    await givenActiveControls(network, given);
    const authorize = (authorizationId: string, amount: number) =>
      measure(() => network.apply({ kind, authorizationId, amount }));
    await authorize("first", 1);
    const approved = await authorize("approved", 1_000);
    expect([approved.result.approved, approved.cost.roundTrips]).toEqual([true, 2]);
    const declined = await authorize("declined", 1_000);
    expect([declined.result.controlId !== undefined, declined.cost.roundTrips]).toEqual([true, 2]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000, shouldAdvanceTime: true });
    const later = await authorize("later", 100);
    expect([later.result.approved, later.cost.roundTrips]).toEqual([true, 2]);
  });
});
