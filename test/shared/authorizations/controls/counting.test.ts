import { describe, expect, it } from "vitest";
import { CountingControls } from "../../../../shared/authorizations/controls/counting.ts";
import {
  chooseCountedList,
  countedList,
  programCountedList,
} from "../../../../shared/authorizations/holds/counted-list.ts";
import { countedParts } from "../../../../shared/authorizations/holds/counted-parts.ts";
import type { Hold } from "../../../../shared/authorizations/holds/hold.ts";
import { decreaseHold } from "../../../../shared/authorizations/holds/hold-changes.ts";
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

/** The subject of an event of the kind. */
const about = (fields: object, hold?: Hold) => ({
  ...subject,
  event: { ...event, ...fields } as CardEventOf<"authorization">,
  ...(hold && { hold }),
});
const scope = (rules: object): ControlScope => ({
  owner: "card",
  ownerId: card.cardId,
  controls: [{ controlId: "ctl_1", countsFrom, ...rules }],
});
const refused = (rules: object, fields: object = {}, hold?: Hold, amountMinor = 50) =>
  given([scope(rules)]).findDecline(about(fields, hold), amountMinor)?.refusal.by;
const empty = emptyHold(card, event.authorizationId, createdAt);
const part = { controlId: "ctl_1", since: 1, from: 1, transId: "txn_0", at: 1, amount: 10, count: 1 };
const split = { id: 1, parts: 2, laidOutAt: 1, rulebook: 1, timeZone: "Etc/UTC", shares: {} };

describe("what a control sees of an event", () => {
  const required = { authentication: "required" };
  const online = { entryMode: "ecommerce" };

  it.each<[object, boolean]>([
    [online, true],
    [{ entryMode: "keyed" }, true],
    [{ unread: ["entryMode"] }, true],
    [{ unread: ["merchantCountry"] }, false],
    [{ entryMode: "chip" }, false],
    [{}, false],
    [{ ...online, verification: { threeDS: "failed" } }, true],
    [{ ...online, verification: { threeDS: "authenticated" } }, false],
    [{ ...online, verification: { threeDS: "attempted" } }, false],
    [{ ...online, verification: { storedCredential: "recurring" } }, false],
    [{ ...online, tokenId: "tok_1" }, false],
    [{ ...online, kind: "authorization_incremental" }, false],
    [{ ...online, kind: "atm_withdrawal" }, false],
  ])("is whether it lacks an authentication: %j", (fields, lacks) => {
    expect(refused(required, fields)).toBe(lacks ? "authentication" : undefined);
  });

  it.each<[object, object, string | undefined]>([
    [{ cash: "block" }, { kind: "atm_withdrawal" }, "cash"],
    [{ cash: "block" }, {}, undefined],
    [{ currencies: { allow: ["840"] } }, {}, undefined],
    [{ currencies: { allow: ["840"] } }, { srcCurrency: "978" }, "currency"],
    [{ wallets: { allow: ["none"] } }, {}, undefined],
    [{ wallets: { allow: ["none"] } }, { tokenId: "tok_1" }, "wallet"],
    [
      { wallets: { allow: ["apple_pay"] } },
      { tokenId: "tok_1", verification: { wallet: "apple_pay" } },
      undefined,
    ],
    [{ wallets: { allow: ["none"] } }, { kind: "authorization_incremental", tokenId: "tok_1" }, undefined],
    [{ merchants: { mcc: { block: ["5411"] } } }, {}, "mcc"],
    [{ merchants: { country: { block: ["CH"] } } }, { merchantCountry: "CH" }, "country"],
    [{ merchants: { country: { block: ["CH"] } } }, { unread: ["merchantCountry"] }, "country"],
    [{ merchants: { merchantId: { allow: ["M1"] } } }, { merchantId: "M1" }, undefined],
    [{ entryModes: { allow: ["chip"] } }, { entryMode: "chip" }, undefined],
    [{ entryModes: { allow: ["chip"] } }, { entryMode: "keyed" }, "entryMode"],
    [
      { entryModes: { allow: ["chip"] } },
      { entryMode: "keyed", kind: "authorization_incremental" },
      undefined,
    ],
    [{ verification: { cvc: { block: ["mismatch"] } } }, { verification: { cvc: "mismatch" } }, "cvc"],
    [{ verification: { cvc: { block: ["mismatch"] } } }, { verification: { cvc: "match" } }, undefined],
  ])("is what was sent, for a control with %j: %j", (rules, fields, by) => {
    expect(refused(rules, fields)).toBe(by);
  });

  it("is the merchant of the authorization where the event says nothing", () => {
    const hold = { ...empty, merchant: { merchantCountry: "CH", mcc: "5912" } };
    expect(refused({ merchants: { country: { block: ["CH"] } } }, {}, hold)).toBe("country");
    expect(refused({ merchants: { mcc: { block: ["5912"] } } }, {}, hold)).toBeUndefined();
  });

  it("is what the authorization comes to, in a control and in a limit of each one", () => {
    const each = { velocity: { amount: 150, window: "authorization" } };
    const hold = increaseHold(empty, 100);
    expect(refused(each, {}, hold, 50)).toBeUndefined();
    expect(refused(each, {}, hold, 51)).toBe("amount");
    const ofEach = toLimitControl(card.cardId, { amountMinor: 150, window: "authorization", countsFrom });
    const controls = given([{ ...limit, controls: [ofEach] }]);
    expect(controls.findExceededLimit(about({}, hold), 50)).toBeUndefined();
    expect(controls.findExceededLimit(about({}, hold), 51)).toMatchObject({ by: "amount" });
    expect(controls.findExceededLimit(about({}, increaseHold(empty, 200)), 0)).toBeUndefined();
    expect(given([daily]).findExceededLimit(subject, 1_000)).toBeUndefined();
  });

  it("is not certain where the Program's usage is a part, but for rules that need none", () => {
    const [usage, program] = [
      { version: 1, controls: {}, split },
      { owner: "program", ownerId: "prg_1" } as const,
    ];
    const partial = { ...scope({ velocity: { amount: 10, window: "day" } }), ...program, usage };
    const uncertain = (...scopes: ControlScope[]) =>
      given(scopes, { isRemembered: false }).findDecline(subject, 50)?.isUncertain;
    expect(uncertain(daily, partial)).toBe(true);
    expect(uncertain({ ...partial, usage: { version: 1, controls: {} } })).toBe(false);
    const blocking = scope({ merchants: { mcc: { block: ["5411"] } } });
    expect(uncertain(partial, blocking)).toBe(false);
  });

  it.each<[string, object, Hold | undefined, number, string | undefined]>([
    ["a first one", {}, undefined, 50, "count"],
    ["one of nothing", {}, undefined, 0, undefined],
    ["one without a part", {}, empty, 50, "count"],
    ["one that is counted", {}, { ...increaseHold(empty, 5), counted: [part] }, 50, undefined],
    [
      "one that another control has counted",
      {},
      { ...increaseHold(empty, 5), counted: [{ ...part, controlId: "ctl_2" }] },
      50,
      "count",
    ],
    [
      "one whose part counts nothing",
      {},
      { ...increaseHold(empty, 5), counted: [{ ...part, count: 0 }] },
      50,
      "count",
    ],
    ["one of which nothing is left", {}, { ...empty, counted: [part] }, 50, "count"],
    [
      "an increment of one from before",
      { kind: "authorization_incremental" },
      { ...increaseHold(empty, 5), createdAt: "2026-11-22T23:59:59.999Z" },
      50,
      undefined,
    ],
    [
      "an increment of one from its first moment on",
      { kind: "authorization_incremental" },
      { ...increaseHold(empty, 5), createdAt: countsFrom },
      50,
      "count",
    ],
    [
      "an authorization that an advice from before has begun",
      {},
      { ...increaseHold(empty, 5), createdAt: "2026-11-22T23:59:59.999Z" },
      50,
      "count",
    ],
  ])("adds to its count: %s", (_, fields, hold, amountMinor, by) => {
    expect(refused({ velocity: { count: 0, window: "day" } }, fields, hold, amountMinor)).toBe(by);
  });
});

/** The parts of a hold after an event: control, amount and count of each. */
function partsAfter(
  rules: object | undefined,
  kind: string,
  [before, after]: readonly [Hold, Hold],
  transId = "txn_9",
  madeAt?: Date,
): string[] {
  const controls = given(rules ? [scope(rules)] : []);
  const options = madeAt ? { madeAt } : {};
  const { writes } = controls.countHold(about({ kind }), before, after, transId, options);
  const [hold] = writes;
  const { counted = [] } = (hold && "Put" in hold && hold.Put.Item) as { counted?: (typeof part)[] };
  return counted.map(({ controlId, transId: of, amount, count }) => `${controlId} ${of} ${amount} ${count}`);
}

describe("what controls count of a hold", () => {
  const counting = { velocity: { count: 5, window: "day" } };
  const before = "2026-11-22T23:59:59.999Z";
  const withdrawal = { transId: "txn_1", amountMinor: 1, disputable: [] };
  const cleared = (hold: Hold, clearedMinor: number) => ({ ...hold, clearedMinor });

  it.each<[string, string, Hold, Hold, string[]]>([
    ["an authorization", "authorization", empty, increaseHold(empty, 20), ["ctl_1 txn_9 20 1"]],
    ["an advice", "authorization_advice", empty, increaseHold(empty, 20), ["ctl_1 txn_9 20 1"]],
    ["cash", "atm_withdrawal", empty, cleared({ ...empty, withdrawal }, 20), ["ctl_1 txn_9 20 1"]],
    [
      "a clearing of an authorization that never came",
      "clearing",
      empty,
      cleared(empty, 20),
      ["ctl_1 txn_9 20 1"],
    ],
    [
      "one of an authorization from before",
      "clearing",
      { ...increaseHold(empty, 5), createdAt: before },
      cleared({ ...increaseHold(empty, 5), createdAt: before }, 20),
      [],
    ],
    [
      "one of a hold from before with nothing in it",
      "clearing",
      { ...empty, createdAt: before },
      cleared({ ...empty, createdAt: before }, 20),
      ["ctl_1 txn_9 20 1"],
    ],
    [
      "one of cash from before",
      "clearing",
      { ...empty, withdrawal, createdAt: before },
      cleared({ ...empty, withdrawal, createdAt: before }, 20),
      [],
    ],
    [
      "one from its first moment on",
      "clearing",
      { ...increaseHold(empty, 5), createdAt: countsFrom },
      cleared({ ...increaseHold(empty, 5), createdAt: countsFrom }, 20),
      ["ctl_1 txn_9 20 1"],
    ],
    [
      "more than is counted",
      "clearing",
      { ...increaseHold(empty, 10), counted: [part] },
      cleared({ ...increaseHold(empty, 10), counted: [part] }, 20),
      ["ctl_1 txn_0 30 1"],
    ],
    [
      "an increment from before",
      "authorization_incremental",
      { ...increaseHold(empty, 5), createdAt: before },
      { ...increaseHold(empty, 25), createdAt: before },
      ["ctl_1 txn_9 20 0"],
    ],
    [
      "an increment",
      "authorization_incremental",
      { ...increaseHold(empty, 10), counted: [part] },
      { ...increaseHold(empty, 30), counted: [part] },
      ["ctl_1 txn_0 10 1", "ctl_1 txn_9 20 0"],
    ],
    [
      "a second authorization of an advice from before",
      "authorization",
      { ...increaseHold(empty, 5), createdAt: before },
      { ...increaseHold(empty, 25), createdAt: before },
      ["ctl_1 txn_9 20 1"],
    ],
    [
      "an advice that takes back",
      "authorization_advice",
      { ...increaseHold(empty, 10), counted: [part] },
      { ...increaseHold(empty, 4), counted: [part] },
      ["ctl_1 txn_0 4 1"],
    ],
    [
      "one that changes nothing",
      "authorization_advice",
      { ...increaseHold(empty, 10), counted: [part] },
      { ...increaseHold(empty, 10), counted: [part] },
      ["ctl_1 txn_0 10 1"],
    ],
  ])("is %s", (_, kind, from, to, expected) => {
    expect(partsAfter(counting, kind, [from, to])).toEqual(expected);
  });

  it("is nothing where no control counts", () => {
    const { writes } = given([]).countHold(subject, empty, increaseHold(empty, 20), "txn_9");
    expect(writes[0] && "Put" in writes[0] && writes[0].Put.Item).not.toHaveProperty("counted");
  });

  const three = [0, 1, 2].map((nth) => ({ ...part, transId: `txn_${nth}`, from: nth, at: nth + 1 }));
  const held = { ...increaseHold(empty, 30), counted: three };

  it.each<[string, number, string, Date | undefined, number[]]>([
    ["from the newest first", -15, "txn_9", undefined, [10, 5, 0]],
    ["from its own first", -15, "txn_0", undefined, [0, 10, 5]],
    ["from the last before it first", -15, "txn_9", new Date(2), [5, 0, 10]],
    ["from no part more than it has", -30, "txn_9", undefined, [0, 0, 0]],
    ["to the oldest", 15, "txn_9", undefined, [25, 10, 10]],
  ])("is taken %s", (_, change, transId, madeAt, amounts) => {
    const to = change < 0 ? decreaseHold(held, -change) : cleared(held, change);
    const kind = change < 0 ? "authorization_reversal" : "clearing";
    const expected = amounts.map((amount, nth) => `ctl_1 txn_${nth} ${amount} 1`);
    expect(partsAfter(undefined, kind, [held, to], transId, madeAt)).toEqual(expected);
  });

  it("is taken of each control alone", () => {
    const two = { ...held, counted: [part, { ...part, controlId: "ctl_2", amount: 30 }] };
    expect(partsAfter(undefined, "authorization_reversal", [two, decreaseHold(two, 15)])).toEqual([
      "ctl_1 txn_0 0 1",
      "ctl_2 txn_0 15 1",
    ]);
  });

  it.each<[string, object, Hold, boolean]>([
    ["a first approval", {}, empty, true],
    ["an increment", { kind: "authorization_incremental" }, empty, false],
    ["an approval after an advice", {}, increaseHold(empty, 5), false],
    ["one of cash that is posted", { kind: "atm_withdrawal" }, { ...empty, withdrawal }, false],
  ])("is a use by %s", (_, fields, hold, isUse) => {
    const after = { ...increaseHold(hold, 20), merchant: { merchantId: "M1" } };
    const rules = { singleUse: true, merchantLock: true };
    const { controls } = given([scope(rules)]).countHold(about(fields), hold, after, "txn_9");
    expect(controls?.findDecline(about({ merchantId: "M1" }), 1)?.refusal.by).toBe(
      isUse ? "singleUse" : undefined,
    );
    const locked = given([scope({ merchantLock: true })]).countHold(about(fields), hold, after, "txn_9");
    expect(locked.controls?.findDecline(about({ merchantId: "M2" }), 1)?.refusal.by).toBe(
      isUse ? "merchantLock" : undefined,
    );
  });

  it("is the use of its own authorization, which may be increased, and of no other", () => {
    const rules = { singleUse: true };
    const { controls } = given([scope(rules)]).countHold(subject, empty, increaseHold(empty, 20), "txn_9");
    const by = (fields: object, hold?: Hold) => controls?.findDecline(about(fields, hold), 1)?.refusal.by;
    expect(by({})).toBe("singleUse");
    expect(by({}, empty)).toBe("singleUse");
    expect(by({}, increaseHold(empty, 20))).toBeUndefined();
    expect(by({ kind: "authorization_incremental" }, empty)).toBeUndefined();
  });

  it("is a use that is taken back of what was declined in the end", () => {
    const controls = given([scope({ singleUse: true })]).countHold(
      subject,
      empty,
      increaseHold(empty, 20),
      "txn_9",
    ).controls;
    const after = controls?.countHold(subject, empty, empty, "txn_9", { unused: ["ctl_1"] }).controls;
    expect([controls, after].map((one) => one?.findDecline(subject, 1)?.refusal.by)).toEqual([
      "singleUse",
      undefined,
    ]);
  });
});

describe("what one control counts in one period", () => {
  const since = Date.parse(countsFrom);
  const today = { ...part, since, from: since };
  const once = scope({ velocity: { count: 1, window: "day" } });

  it("is one part, which its list has once", () => {
    const before = { ...increaseHold(empty, 10), counted: [today] };
    const { writes } = given([once]).countHold(subject, before, increaseHold(before, 20), "txn_9");
    const [hold, ...others] = writes;
    expect(hold && "Put" in hold && hold.Put.Item?.counted).toEqual([{ ...today, amount: 30, count: 1 }]);
    expect(others.map(({ name }) => name)).toEqual(["cardUsage"]);
  });

  it("is no authorization any more once nothing is left of it", () => {
    const placed = increaseHold(empty, 20);
    const first = given([once]).countHold(subject, empty, placed, "txn_9");
    const [write] = first.writes;
    const stored = (write && "Put" in write && write.Put.Item) as unknown as Hold;
    const reversal = about({ kind: "authorization_reversal" });
    const declinedAfter = (hold: Hold) => {
      const { controls } = first.controls?.countHold(reversal, stored, hold, "txn_10") ?? {};
      return controls?.findDecline(subject, 1)?.refusal.by;
    };
    expect(declinedAfter(decreaseHold(stored, 19))).toBe("count");
    expect(declinedAfter(decreaseHold(stored, 20))).toBeUndefined();
    const item = (hold: Hold) => ({ ...hold, pk: "", sk: "HOLD" });
    expect(countedParts(item(stored))).toMatchObject([{ amount: 20, count: 1 }]);
    expect(countedParts(item(decreaseHold(stored, 20)))).toMatchObject([{ controlId: "ctl_1", count: 0 }]);
    expect(countedParts(item(placed))).toEqual([]);
    expect(countedParts({ sk: "TRANSACTION#txn_1", counted: [today] })).toEqual([today]);
  });

  it("is in the list of the control, which is the Program's where the control is", () => {
    const listOf = (of: ControlScope) => {
      const [, , insert] = given([of]).countHold(subject, empty, increaseHold(empty, 20), "txn_9").writes;
      return JSON.stringify(insert);
    };
    const controls = once.controls.flatMap((one) => [{ ...one, controlId: "ctl_2" }, one]);
    const program = { ...once, owner: "program", ownerId: "prg_1", controls } as const;
    expect(listOf(once)).toContain("#counted#");
    expect(listOf(program)).toContain("#programCounted#");
    expect(chooseCountedList({})).toBe(programCountedList);
    expect(chooseCountedList({ cardId: "crd_1" })).toBe(countedList);
    expect(chooseCountedList({ cardholderId: "chd_1" })).toBe(countedList);
    const list = { programId: "prg_1", kind: countedList };
    const key = (of: object) => countedList.recordKey?.(list, "txn_1", of as never);
    expect(key({ cardId: "crd_1" })).toEqual({ pk: "prg_1#crd_1", sk: "TRANSACTION#txn_1" });
    expect(key({ cardId: "crd_1", authorizationId: "A" })).toEqual({ pk: "prg_1#HOLD#A", sk: "HOLD" });
  });
});

describe("what controls count of a posting without a hold", () => {
  it("is its amount, as one, and its merchant", () => {
    const rules = { velocity: { amount: 150, window: "day" }, merchantLock: true };
    const posting = about({ kind: "clearing", merchantId: "M1" });
    const { counted, writes, controls } = given([scope(rules)]).countPosting(posting, "txn_9", 100);
    expect(counted).toMatchObject([{ controlId: "ctl_1", transId: "txn_9", amount: 100, count: 1 }]);
    expect(writes.map(({ name }) => name)).toEqual(["cardUsage", "listed"]);
    expect(controls?.findDecline(about({ merchantId: "M1" }), 51)?.refusal).toMatchObject({
      by: "amount",
      used: 100,
    });
    expect(controls?.findDecline(about({ merchantId: "M2" }), 1)?.refusal.by).toBe("merchantLock");
    const [, listed] = writes;
    expect(JSON.stringify(listed)).toContain("txn_9");
  });

  it("is nothing where none counts", () => {
    const { counted, writes } = given([scope({ cash: "block" })]).countPosting(subject, "txn_9", 100);
    expect([counted, writes]).toEqual([undefined, []]);
    expect(given([]).countPosting(subject, "txn_9", 100)).not.toHaveProperty("counted");
  });
});
