import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { giveExpiry, isForgotten } from "../../../../shared/authorizations/holds/give-expiry.ts";
import { type Hold, type HoldState, holds } from "../../../../shared/authorizations/holds/hold.ts";
import {
  decreaseHold,
  limitTotal,
  reserve,
  setTotal,
  takesNoIncrement,
  withoutReservation,
} from "../../../../shared/authorizations/holds/hold-changes.ts";
import {
  closeHold,
  emptyHold,
  heldMinor,
  holdWrites,
  increaseHold,
  noHold,
  outstandingMinor,
} from "../../../../shared/authorizations/holds/hold-rules.ts";
import { planExpiry } from "../../../../shared/authorizations/plan-reversal.ts";
import { Currency, TransactionType } from "../../../../shared/contract/enums.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { isNew } from "../../../../shared/platform/table/condition.ts";
import { transact } from "../../../../shared/platform/table/transact.ts";
import { storedItem } from "../../../harness/stored.ts";

const amount = fc.integer({ min: 1, max: 1_000 });
const step: fc.Arbitrary<(state: HoldState) => HoldState> = fc.oneof(
  amount.map((minor) => (state: HoldState) => increaseHold(state, minor)),
  amount.map((minor) => (state: HoldState) => decreaseHold(state, minor)),
  fc.constantFrom("cleared", "reversed", "expired").map((by) => (state: HoldState) => closeHold(state, by)),
);

const stateAfter = (steps: readonly ((state: HoldState) => HoldState)[]) =>
  steps.reduce((state, apply) => apply(state), noHold);

describe("the state of a hold", () => {
  it("is the authorized amount less the released one, and 0 once closed", () => {
    const placed = increaseHold(noHold, 100);
    expect(outstandingMinor(placed)).toBe(100);
    expect(outstandingMinor(decreaseHold(placed, 30))).toBe(70);
    expect(outstandingMinor(decreaseHold(placed, 130))).toBe(0);
    expect(outstandingMinor(closeHold(placed, "reversed"))).toBe(0);
    expect(outstandingMinor(increaseHold(closeHold(noHold, "cleared"), 100))).toBe(0);
    expect(outstandingMinor(increaseHold(decreaseHold(noHold, 30), 100))).toBe(70);
  });

  it("keeps what closed it first", () => {
    expect(closeHold(closeHold(noHold, "expired"), "cleared").closedBy).toBe("expired");
  });

  it("has the same amount in any order of events, and never a negative one", () => {
    const orders = fc
      .array(step, { minLength: 1, maxLength: 12 })
      .chain((steps) =>
        fc.tuple(
          fc.constant(steps),
          fc.shuffledSubarray(steps, { minLength: steps.length, maxLength: steps.length }),
        ),
      );
    fc.assert(
      fc.property(orders, ([one, other]) => {
        expect(outstandingMinor(stateAfter(other))).toBe(outstandingMinor(stateAfter(one)));
        expect(outstandingMinor(stateAfter(one))).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 1_000 },
    );
  });
});

const at = (second: number) => new Date(second * 1_000).toISOString();

interface Message {
  readonly is: "total" | "limit" | "increment" | "reversal" | "clearing";
  readonly minor: number;
  readonly second: number;
}

function apply(state: HoldState, { is, minor, second }: Message): HoldState {
  if (is === "total") return setTotal(state, minor, at(second));
  if (is === "limit") return limitTotal(state, minor, at(second));
  if (is === "increment") return increaseHold(state, minor, at(second));
  if (is === "reversal") return decreaseHold(state, minor, at(second));
  return decreaseHold({ ...state, clearedMinor: state.clearedMinor + minor }, minor);
}

/** Of the same second, totals have the changes, the higher total counts, and a limit after it. */
function inOrder(one: Message, other: Message): number {
  const rank = ({ is }: Message) => (is === "limit" ? 2 : is === "total" ? 1 : 0);
  return one.second - other.second || rank(one) - rank(other) || one.minor - other.minor;
}

/** What is left, if everything comes in the order of its time. */
function leftOf(authorized: number, messages: readonly Message[]): number {
  const inTime = messages.toSorted(inOrder);
  const total = inTime.reduce((sum, { is, minor }) => {
    if (is === "total") return minor;
    if (is === "increment") return sum + minor;
    if (is === "reversal") return sum - minor;
    return is === "limit" ? Math.min(sum, minor) : sum;
  }, authorized);
  const cleared = messages.filter(({ is }) => is === "clearing");
  return Math.max(0, total - cleared.reduce((sum, { minor }) => sum + minor, 0));
}

const message = fc.record({
  is: fc.constantFrom<Message["is"][]>("total", "limit", "increment", "reversal", "clearing"),
  minor: fc.integer({ min: 1, max: 100 }),
  second: fc.nat({ max: 4 }),
});
const messages = fc.array(message, { minLength: 1, maxLength: 7 });

describe("totals of an authorization", () => {
  it("replace what is authorized, or release what is above them", () => {
    const placed = increaseHold(noHold, 100);
    expect(outstandingMinor(setTotal(placed, 150, at(1)))).toBe(150);
    expect(outstandingMinor(setTotal(placed, 40, at(1)))).toBe(40);
    expect(outstandingMinor(limitTotal(placed, 40, at(1)))).toBe(40);
    expect(outstandingMinor(limitTotal(placed, 150, at(1)))).toBe(100);
  });

  it("are of what was cleared too", () => {
    const cleared = decreaseHold({ ...increaseHold(noHold, 100), clearedMinor: 30 }, 30);
    expect(outstandingMinor(setTotal(cleared, 120, at(1)))).toBe(90);
    expect(outstandingMinor(limitTotal(cleared, 80, at(1)))).toBe(50);
  });

  it("grow with later increments", () => {
    const limited = limitTotal(setTotal(noHold, 100, at(1)), 60, at(2));
    expect(outstandingMinor(increaseHold(limited, 15, at(3)))).toBe(75);
    expect(outstandingMinor(increaseHold(setTotal(noHold, 100, at(1)), 15, at(3)))).toBe(115);
  });

  it("do not have later increments and partial reversals, whichever comes first", () => {
    const increased = increaseHold(increaseHold(noHold, 100), 50, at(3));
    const total = (state: HoldState) => setTotal(state, 100, at(2));
    expect(outstandingMinor(total(increased))).toBe(150);
    expect(outstandingMinor(total(total(increased)))).toBe(150);
    expect(outstandingMinor(limitTotal(increased, 80, at(2)))).toBe(130);
    expect(outstandingMinor(total(decreaseHold(increased, 50, at(4))))).toBe(100);
    expect(outstandingMinor(decreaseHold(total(increased), 50, at(4)))).toBe(100);
    expect(outstandingMinor(setTotal(increased, 100, at(3)))).toBe(100);
    expect(outstandingMinor(setTotal(increased, 100))).toBe(100);
  });

  it("without a time are the last until now", () => {
    const placed = increaseHold(noHold, 1_000);
    expect(outstandingMinor(setTotal(setTotal(placed, 1_500), 400))).toBe(400);
    expect(outstandingMinor(setTotal(setTotal(placed, 100), 50, at(1)))).toBe(50);
    expect(outstandingMinor(setTotal(limitTotal(placed, 400), 800))).toBe(800);
    const limited = limitTotal(limitTotal(limitTotal(placed, 900, at(5)), 800, at(3)), 850, at(7));
    expect(outstandingMinor(setTotal(limited, 950))).toBe(950);
    const increased = limitTotal(increaseHold(placed, 500, at(3)), 600);
    expect(outstandingMinor(increased)).toBe(600);
    expect(outstandingMinor(increaseHold(increased, 100, at(4)))).toBe(700);
  });

  it("keep the last changes alone, and of limits the lowest", () => {
    const seconds = Array.from({ length: 25 }, (_, second) => second);
    const placed = increaseHold(noHold, 10_000);
    const limitedBy = (limit: (second: number) => number) =>
      seconds.reduce((state, second) => limitTotal(state, limit(second), at(second)), placed);
    expect(outstandingMinor(limitedBy((second) => 100 + second))).toBe(100);
    expect(outstandingMinor(limitedBy((second) => 125 - second))).toBe(101);
    const increased = increaseHold(
      limitedBy(() => 200),
      1_000,
      at(30),
    );
    expect(outstandingMinor(limitTotal(increased, 700, at(40)))).toBe(700);
    const changed = seconds.reduce((state, second) => increaseHold(state, 2, at(second)), noHold);
    expect(outstandingMinor(setTotal(changed, 100, at(5)))).toBe(138);
    expect(outstandingMinor(setTotal(changed, 100, at(4)))).toBe(150);
    expect(setTotal(changed, 100, at(24)).changes).toBeUndefined();
    const twice = limitTotal(limitTotal(noHold, 5, at(1)), 4, at(1));
    expect(twice.totals?.limits).toEqual([{ amountMinor: 4, at: at(1) }]);
    expect(increaseHold(noHold, 0, at(1))).toBe(noHold);
    const [early, late] = [
      { amountMinor: 7, at: at(1) },
      { amountMinor: -4, at: at(3) },
    ];
    const inTime = { authorizedMinor: 7, releasedMinor: 4, changes: [early, late] };
    expect(decreaseHold(increaseHold(noHold, 7, at(1)), 4, at(3))).toMatchObject(inTime);
    expect(increaseHold(decreaseHold(noHold, 4, at(3)), 7, at(1))).toMatchObject(inTime);
  });

  it("need a bounded number of changes and limits", () => {
    const seconds = Array.from({ length: 1_000 }, (_, second) => second);
    const changed = seconds.reduce((state, second) => increaseHold(state, 2, at(second)), noHold);
    const limited = seconds.reduce((state, second) => limitTotal(state, 3_000 + second, at(second)), changed);
    expect(JSON.stringify(limited).length).toBeLessThan(3_000);
    expect(outstandingMinor(setTotal(limited, 100, at(989)))).toBe(120);
    expect(outstandingMinor(limited)).toBe(2_000);
  });

  it("have an increment of the same second in them, whichever comes first", () => {
    const placed = increaseHold(noHold, 100);
    const total = (state: HoldState) => setTotal(state, 150, at(1));
    const limit = (state: HoldState) => limitTotal(state, 80, at(1));
    const increment = (state: HoldState) => increaseHold(state, 15, at(1));
    expect(outstandingMinor(increment(total(placed)))).toBe(150);
    expect(outstandingMinor(total(increment(placed)))).toBe(150);
    expect(outstandingMinor(increment(limit(placed)))).toBe(80);
    expect(outstandingMinor(limit(increment(placed)))).toBe(80);
  });

  it("lead to the same hold in any order, wherever the authorization comes", () => {
    const orders = messages.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.nat({ max: all.length }),
        fc.integer({ min: 1, max: 100 }),
      ),
    );
    fc.assert(
      fc.property(orders, ([all, shuffled, place, authorized]) => {
        const before = shuffled.slice(0, place).reduce(apply, noHold);
        const after = shuffled.slice(place).reduce(apply, increaseHold(before, authorized));
        expect(outstandingMinor(after)).toBe(leftOf(authorized, all));
      }),
      { numRuns: 3_000 },
    );
  });
});

const begunMs = Date.UTC(2026, 10, 1);
const hour = 3_600_000;
const day = 24 * hour;
const later = (milliseconds: number) => new Date(begunMs + milliseconds).toISOString();
const card = { programId: "prg_1", cardId: "crd_1", cardholderId: "chd_1", currency: Currency.usd };
const begun: Hold = { ...increaseHold(emptyHold(card, "A", later(0)), 100), version: 1 };
const empty = decreaseHold(begun, 100);
const asked = (lapsesAt: string) => ({ eventId: lapsesAt, amountMinor: 30, feeMinor: 5, lapsesAt });

/** The hold that is written so long after it began. */
function written(milliseconds: number, next: Hold, before: Hold = next) {
  const [write] = holdWrites(before, next, new Date(begunMs + milliseconds));
  return (write as unknown as { readonly Put: { readonly Item: Hold } }).Put.Item;
}

describe("a hold that is written", () => {
  it.each<[string, number, Hold, string | undefined]>([
    ["open, while a walk will find it", 4 * day - hour - 1, begun, undefined],
    ["open, when the walk may have passed", 4 * day - hour, begun, `${later(7 * day)}#hold:A`],
    ["with nothing in it", 5 * day, { ...empty, dueAt: "before" }, undefined],
    ["begun anew, while a walk will find it", 9 * day, { ...begun, heldSince: later(6 * day) }, undefined],
    ["begun anew, later", 10 * day, { ...begun, heldSince: later(6 * day) }, `${later(13 * day)}#hold:A`],
    [
      "with two questions open",
      0,
      reserve(reserve(begun, asked(later(20))), asked(later(10))),
      `${later(10)}#hold:A`,
    ],
  ])("%s, has the deadline that it needs", (_, milliseconds, hold, dueAt) => {
    expect(written(milliseconds, hold).dueAt).toBe(dueAt);
  });

  it("says since when it has held something, unless it is from its beginning", () => {
    const first = emptyHold(card, "A", later(0));
    expect(written(0, begun, first)).not.toHaveProperty("heldSince");
    expect(written(6 * day, begun, empty)).toMatchObject({ heldSince: later(6 * day), version: 2 });
    expect(written(6 * day, increaseHold(begun, 1), begun)).not.toHaveProperty("heldSince");
    expect(written(6 * day, empty)).not.toHaveProperty("heldSince");
  });

  it.each<[string, Hold, Hold, string[]]>([
    ["begins", begun, empty, ['holds[100,"held",0]', 'begun[1,"A",0]']],
    ["grows", increaseHold(begun, 5), begun, ['holds[5,"held",0]']],
    ["ends", empty, begun, ['holds[-100,"held",0]']],
    ["stays as it is", begun, begun, []],
    ["stays empty", empty, empty, []],
  ])("that %s changes the sum of its Program's holds by what it holds more", (_, next, before, expected) => {
    const [write] = holdWrites(before, next, new Date(begunMs));
    const listed = JSON.stringify(write?.alongside).replaceAll("\\", "");
    for (const entry of expected) expect(listed).toContain(entry);
    expect(write?.alongside).toHaveLength(expected.length);
  });

  it("holds what is asked about with its fee, until it is closed or decided", () => {
    const hold = reserve(begun, asked("e1"));
    expect(heldMinor(hold)).toBe(135);
    expect(heldMinor(closeHold(hold, "reversed"))).toBe(0);
    expect(withoutReservation(hold, "e1").reservations).toBeUndefined();
    expect(withoutReservation(reserve(hold, asked("e2")), "e1").reservations).toEqual([asked("e2")]);
  });

  it.each<[Partial<Hold>, boolean]>([
    [{}, false],
    [{ increments: 999 }, false],
    [{ increments: 1_000 }, true],
    [{ counted: Array.from({ length: 999 }) as never }, false],
    [{ counted: Array.from({ length: 1_000 }) as never }, true],
  ])("takes no increment once it has too many of them, or of parts", (hold, isFull) => {
    expect(takesNoIncrement({ ...begun, ...hold })).toBe(isFull);
  });
});

describe("a hold that has no deadline", () => {
  const forgottenAt = 7 * day - day;

  it.each<[string, Partial<Hold>, number, boolean]>([
    ["is open a day before it is due", {}, forgottenAt, false],
    ["is open later", {}, forgottenAt + 1, true],
    ["has begun anew since", { heldSince: later(hour) }, forgottenAt + 1, false],
    ["has one after all", { dueAt: "later" }, forgottenAt + 1, false],
    ["holds nothing", { closedBy: "reversed" }, forgottenAt + 1, false],
  ])("is forgotten once walks have passed it: one that %s", (_, fields, at, expected) => {
    expect(isForgotten({ ...begun, ...fields }, new Date(begunMs + at))).toBe(expected);
  });

  const expires = { dueAt: `${later(7 * day)}#hold:A`, kind: "expire_hold" };

  it.each<[string, Partial<Hold>, Partial<Hold> | undefined, object | undefined]>([
    ["as it was read", {}, {}, { version: 2, ...expires }],
    [
      "that has changed",
      {},
      { version: 5, heldSince: later(day) },
      { version: 6, dueAt: `${later(8 * day)}#hold:A` },
    ],
    ["that was closed meanwhile", {}, { version: 5, closedBy: "reversed" }, { version: 5, dueAt: undefined }],
    ["that has one", { dueAt: "later" }, {}, { version: 1, dueAt: undefined }],
    ["that is gone", {}, undefined, undefined],
  ])("gets its expiry: one %s", async (_, read, stored, expected) => {
    const programId = newId("program");
    const kept = { ...begun, programId, ...stored };
    if (stored) await transact([holds.at(programId, "A").put(kept, isNew)]);
    await giveExpiry({ ...begun, programId, ...read });
    const item = await storedItem(holds.key(programId, "A"));
    if (expected) expect({ dueAt: undefined, ...item }).toMatchObject(expected);
    else expect(item).toBeUndefined();
  });
});

describe("the platform's own expiry", () => {
  const due = 7 * day;
  const expired = (hold: Partial<Hold>, ms?: number) => {
    const dueAt = ms === undefined ? {} : { dueAt: new Date(begunMs + ms) };
    const event = { kind: "authorization_expiry", authorizationId: "A", eventId: "e", ...dueAt };
    const subject = {
      event: { ...event, ...card },
      card,
      at: new Date(begunMs + due),
      hold: { ...begun, ...hold },
    };
    const plan = planExpiry(subject as never);
    return "rejected" in plan ? plan.rejected : [plan.transaction?.transType, plan.result.amount];
  };

  it.each<[string, Partial<Hold>, number | undefined, unknown]>([
    ["once it is due", {}, due, [TransactionType.authorization_reversal_issuerexpiration, 100]],
    ["not before", {}, due - 1, "ILLEGAL_TRANSITION"],
    ["not what has begun anew since", { heldSince: later(hour) }, due, "ILLEGAL_TRANSITION"],
    ["not what an event has emptied", empty, due, "ILLEGAL_TRANSITION"],
    ["not what is finished", { closedBy: "cleared" }, due, "ILLEGAL_TRANSITION"],
    ["the network's whenever it comes", empty, undefined, [TransactionType.authorizationexpiry, 0]],
  ])("expires a hold %s", (_, hold, ms, expected) => {
    expect(expired(hold, ms)).toEqual(expected);
  });
});
