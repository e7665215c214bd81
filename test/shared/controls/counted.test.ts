import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CountingControls } from "../../../shared/authorizations/controls/counting.ts";
import { countHold, countPosting } from "../../../shared/authorizations/counted.ts";
import { type Hold, holds } from "../../../shared/authorizations/holds/hold.ts";
import { decreaseHold } from "../../../shared/authorizations/holds/hold-changes.ts";
import {
  closeHold,
  emptyHold,
  increaseHold,
  outstandingMinor,
} from "../../../shared/authorizations/holds/hold-rules.ts";
import type { Velocity } from "../../../shared/contract/controls.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import { countNow } from "../../../shared/controls/count.ts";
import { type ControlScope, periodAt, type Usage, usages, usedAt } from "../../../shared/controls/usage.ts";
import type { CardEvent } from "../../../shared/network-events/card-event.ts";
import type { CardSubject } from "../../../shared/network-events/plan.ts";
import type { WriteAction } from "../../../shared/platform/table/transact.ts";

const card = {
  programId: "prg_1",
  cardId: "crd_1",
  cardholderId: "chd_1",
  currency: Currency.usd,
  cardToken: "token",
  maskedCardNumber: "400000******0000",
};
const startMs = Date.parse("2026-11-23T10:00:00Z");
const minute = 60_000;

const windows: readonly Velocity["window"][] = ["day", "week", "lifetime", "PT10M", "PT2H"];

function scopesOf(countsFrom: string): ControlScope[] {
  const controls = windows.map((window) => ({
    controlId: `ctl_${window}`,
    countsFrom,
    velocity: { amount: 1_000, window },
  }));
  return [
    { owner: "card", ownerId: card.cardId, controls: controls.slice(0, 2) },
    { owner: "cardholder", ownerId: card.cardholderId, controls: controls.slice(2) },
  ];
}

type Action =
  | { readonly do: "authorization" | "increment"; readonly slot: number; readonly amount: number }
  | { readonly do: "reversal"; readonly slot: number; readonly amount: number }
  | { readonly do: "reversed" | "expired"; readonly slot: number }
  | { readonly do: "clearing"; readonly slot: number; readonly amount: number; readonly final: boolean }
  | { readonly do: "forcePost"; readonly amount: number }
  | { readonly do: "wait"; readonly minutes: number };

const slot = fc.nat({ max: 2 });
const amount = fc.integer({ min: 1, max: 100 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom("authorization" as const, "increment" as const), slot, amount }),
  fc.record({ do: fc.constant("reversal" as const), slot, amount }),
  fc.record({ do: fc.constantFrom("reversed" as const, "expired" as const), slot }),
  fc.record({ do: fc.constant("clearing" as const), slot, amount, final: fc.boolean() }),
  fc.record({ do: fc.constant("forcePost" as const), amount }),
  fc.record({ do: fc.constant("wait" as const), minutes: fc.constantFrom(1, 5, 11, 100, 1_000, 10_000) }),
);

/** The model: each authorization is a list of amounts with their times. */
interface Told {
  parts: { atMs: number; amount: number }[];
  readonly isPosting?: boolean;
}

const total = ({ parts }: Told) => parts.reduce((sum, part) => sum + part.amount, 0);

function change(told: Told, minor: number) {
  if (minor > 0 && told.parts[0]) told.parts[0].amount += minor;
  let left = -minor;
  for (const part of told.parts.toReversed()) {
    const taken = Math.min(Math.max(left, 0), part.amount);
    part.amount -= taken;
    left -= taken;
  }
}

function modelUsage(told: readonly Told[], window: Velocity["window"], atMs: number) {
  const isLive = (ms: number) => {
    const { until } = periodAt(window, ms, { activatedMs: startMs, timeZone: "Europe/Berlin" }) ?? {};
    return until === undefined || until > atMs;
  };
  return {
    amount: told
      .flatMap(({ parts }) => parts)
      .reduce((sum, one) => sum + (isLive(one.atMs) ? one.amount : 0), 0),
    count: told.filter((one) => total(one) > 0 && isLive(one.parts[0]?.atMs ?? 0)).length,
  };
}

/** Plays the actions on holds and their usage, and on the model. */
function play(actions: readonly Action[]) {
  let scopes = scopesOf(new Date(startMs).toISOString());
  let atMs = startMs;
  const stored = new Map<number, Hold>();
  const model = new Map<number, Told>();
  const postings: Told[] = [];
  const subject = (kind: CardEvent["kind"]) => {
    const controls = new CountingControls({ scopes, timeZone: "Europe/Berlin" });
    return { event: { kind }, card, controls, at: new Date(atMs) } as unknown as CardSubject;
  };
  const apply = (slot: number, writes: readonly WriteAction[]) => {
    for (const write of writes) {
      if (!("Put" in write)) continue;
      if (write.name === "hold") stored.set(slot, holds.parse(write.Put.Item ?? {}));
      scopes = scopes.map((scope) =>
        write.name === `${scope.owner}Usage`
          ? { ...scope, usage: usages[scope.owner].parse(write.Put.Item ?? {}) }
          : scope,
      );
    }
  };
  const turn = (slot: number, kind: CardEvent["kind"], next: (hold: Hold) => Hold) => {
    const before = stored.get(slot) ?? emptyHold(card, String(slot), new Date(atMs).toISOString());
    const after = next(before);
    apply(slot, countHold(subject(kind), before, after, "txn_1").writes);
    const counts = (hold: Hold) => outstandingMinor(hold) + hold.clearedMinor;
    return counts(after) - counts(before);
  };
  for (const one of actions) {
    if (one.do === "wait") atMs += one.minutes * minute;
    else if (one.do === "forcePost") {
      apply(-1, countPosting(subject("clearing"), "txn_1", one.amount).writes);
      postings.push({ parts: [{ atMs, amount: one.amount }] });
    } else {
      const { slot } = one;
      const told = model.get(slot);
      const hold = stored.get(slot);
      if (one.do === "authorization" && hold) continue;
      if (one.do !== "authorization" && !hold) continue;
      if (hold?.closedBy && one.do !== "clearing") continue;
      if (one.do === "authorization") {
        turn(slot, "authorization", (before) => increaseHold(before, one.amount));
        model.set(slot, { parts: [{ atMs, amount: one.amount }] });
      } else if (one.do === "increment") {
        const minor = turn(slot, "authorization_incremental", (before) => increaseHold(before, one.amount));
        told?.parts.push({ atMs, amount: minor });
      } else if (one.do === "reversal") {
        change(
          told as Told,
          turn(slot, "authorization_reversal", (before) => decreaseHold(before, one.amount)),
        );
      } else if (one.do === "clearing") {
        const settle = (before: Hold) => {
          const settled = { ...before, clearedMinor: before.clearedMinor + one.amount };
          return one.final ? closeHold(settled, "cleared") : decreaseHold(settled, one.amount);
        };
        change(told as Told, turn(slot, "clearing", settle));
      } else {
        const by = one.do;
        change(
          told as Told,
          turn(slot, "authorization_expiry", (before) => closeHold(before, by)),
        );
      }
    }
    const at = atMs;
    for (const window of windows) {
      const scope = scopes.find(({ controls }) =>
        controls.some(({ velocity }) => velocity?.window === window),
      );
      const control = scope?.controls.find(({ velocity }) => velocity?.window === window);
      if (!control) throw new Error(window);
      expect(usedAt(scope?.usage, control, at), `${window} after ${JSON.stringify(one)}`).toEqual(
        modelUsage([...model.values(), ...postings], window, at),
      );
    }
  }
}

describe("the usage of controls", () => {
  it("is what the model counts, after any sequence of events of authorizations", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 5, maxLength: 40 }), (actions) => play(actions)),
      { numRuns: 400 },
    );
  });
});

describe("a write of the usage", () => {
  const approval = { transId: "txn_1", amountMinor: 100, isUse: true, countOf: () => 1 as const };
  const usageOf = (known: string, usage?: Usage): ControlScope[] => {
    const velocity = { amount: 1_000, window: "day" } as const;
    const countsFrom = new Date(startMs).toISOString();
    return [
      { owner: "program", ownerId: "prg_1", controls: [{ controlId: known, countsFrom, velocity }], usage },
    ];
  };

  it("keeps a new control that its process does not know yet, and forgets a deleted one", () => {
    const { scopes: counted } = countNow(
      { scopes: usageOf("ctl_new"), timeZone: "Etc/UTC" },
      approval,
      startMs,
    );
    const stale = usageOf("ctl_old", counted[0]?.usage);
    const written = (atMs: number) =>
      countNow({ scopes: stale, timeZone: "Etc/UTC" }, approval, atMs).scopes[0];
    expect(Object.keys(written(startMs + 2_000)?.usage?.controls ?? {})).toEqual(["ctl_new", "ctl_old"]);
    expect(Object.keys(written(startMs + 2 * minute)?.usage?.controls ?? {})).toEqual(["ctl_old"]);
  });

  it("begins a day in a new time zone when the last one is over", () => {
    const first = countNow({ scopes: usageOf("ctl_1"), timeZone: "Etc/UTC" }, approval, startMs);
    const inLosAngeles = { scopes: first.scopes, timeZone: "America/Los_Angeles" };
    const periods = ["2026-11-23T23:59:59Z", "2026-11-24T00:01:00Z", "2026-11-24T08:00:00Z"].map((at) => {
      const { from = 0 } = countNow(inLosAngeles, approval, Date.parse(at)).counted[0] ?? {};
      return new Date(from).toISOString();
    });
    expect(periods).toEqual([
      "2026-11-23T00:00:00.000Z",
      "2026-11-24T00:00:00.000Z",
      "2026-11-24T08:00:00.000Z",
    ]);
  });
});
