import { describe, expect, it } from "vitest";
import { CountingControls } from "../../../../shared/authorizations/controls/counting.ts";
import { emptyHold, increaseHold } from "../../../../shared/authorizations/holds/hold-rules.ts";
import { Currency } from "../../../../shared/contract/enums.ts";
import { toLimitControl } from "../../../../shared/controls/spend-limit.ts";
import type { ControlScope, ControlsInForce } from "../../../../shared/controls/usage.ts";
import type { CardEventOf } from "../../../../shared/network-events/card-event.ts";

const card = {
  programId: "prg_1",
  cardId: "crd_01J00000000000000000000000",
  cardholderId: "chd_1",
  currency: Currency.usd,
  cardToken: "token",
  maskedCardNumber: "400000******0000",
};
const at = new Date("2026-11-23T10:00:00Z");
const countsFrom = "2026-11-23T00:00:00Z";
const createdAt = at.toISOString();

const event = {
  kind: "authorization",
  eventId: "evt_1",
  programId: card.programId,
  cardId: card.cardId,
  authorizationId: "aut_1",
  amount: 100,
  mcc: "5411",
} as CardEventOf<"authorization">;
const subject = { event, card, at };

const daily: ControlScope = {
  owner: "card",
  ownerId: card.cardId,
  controls: [{ controlId: "ctl_1", countsFrom, velocity: { amount: 150, window: "day" } }],
};
const limit: ControlScope = {
  owner: "limit",
  ownerId: card.cardId,
  controls: [toLimitControl(card.cardId, { amountMinor: 120, window: "day", countsFrom })],
};

function given(scopes: readonly ControlScope[], more: Partial<ControlsInForce> = {}) {
  return new CountingControls({ scopes, timeZone: "Etc/UTC", ...more });
}

function counted(controls: CountingControls, amountMinor: number) {
  const before = emptyHold(card, event.authorizationId, createdAt);
  return controls.countHold(subject, before, increaseHold(before, amountMinor), "txn_1");
}

describe("the controls of a Card", () => {
  it("decline what is above what they leave, by what they have counted", () => {
    const after = counted(given([daily]), 100).controls;
    expect(after?.findDecline(subject, 50)).toBeUndefined();
    expect(after?.findDecline(subject, 51)).toEqual({
      controlId: "ctl_1",
      refusal: { by: "amount", limit: 150, used: 100, window: "day" },
      isUncertain: false,
    });
  });

  it("are not certain of what this process remembers", () => {
    const remembered = given([daily], { isRemembered: true });
    expect(remembered.findDecline(subject, 151)?.isUncertain).toBe(true);
  });

  it("decline by no limit of the Card, which has a reason of its own", () => {
    const both = given([limit]);
    expect(both.findDecline(subject, 121)).toBeUndefined();
    expect(both.findExceededLimit(subject, 120)).toBeUndefined();
    expect(both.findExceededLimit(subject, 121)).toMatchObject({ by: "amount", limit: 120, used: 0 });
  });

  it("say what the limit leaves after what is counted, and nothing without one", () => {
    expect(counted(given([daily, limit]), 100).controls?.leftMinor(at)).toBe(20);
    expect(given([daily]).leftMinor(at)).toBeUndefined();
  });

  it("write the hold with its parts, each usage, and the list of what a control has counted", () => {
    const { writes } = counted(given([daily, limit]), 100);
    expect(writes.map(({ name }) => name)).toEqual(["hold", "cardUsage", "limitUsage", "listed"]);
    const [hold] = writes;
    expect(hold && "Put" in hold && hold.Put.Item).toMatchObject({
      counted: [
        { controlId: "ctl_1", amount: 100, count: 1 },
        { transId: "txn_1", amount: 100 },
      ],
    });
  });

  it.each([
    [1_299, 1_300],
    [1_300, 1_300],
  ])("add a part to %i that a hold has, as long as it takes one", (count, expected) => {
    const before = emptyHold(card, event.authorizationId, createdAt);
    const part = { controlId: "ctl_1", since: 1, amount: 0, count: 0, transId: "txn_0", at: 1 };
    const parts = Array.from({ length: count }, (_, from) => ({ ...part, from }));
    const held = { ...before, counted: parts as never };
    const { writes, controls } = given([daily]).countHold(subject, held, increaseHold(held, 100), "txn_1");
    const [hold] = writes;
    expect(hold && "Put" in hold && hold.Put.Item?.counted).toHaveLength(expected);
    expect(controls?.findDecline(subject, 51) === undefined).toBe(count === expected);
  });

  it("name those that a first use marks", () => {
    const once = { controlId: "ctl_2", countsFrom, singleUse: true };
    expect(given([{ ...daily, controls: [...daily.controls, once] }]).marked).toEqual(["ctl_2"]);
  });
});
