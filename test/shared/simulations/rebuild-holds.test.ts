import { expect, it } from "vitest";
import { outstandingMinor } from "../../../shared/authorizations/holds/hold-rules.ts";
import { Currency, TransactionStatus } from "../../../shared/contract/enums.ts";
import type { CardEvent } from "../../../shared/network-events/card-event.ts";
import { rebuildHolds } from "../../../shared/simulations/card-history.ts";
import type { StoredMovement } from "../../../shared/simulations/movement.ts";

const card = { cardId: "crd_1", cardholderId: "chd_1", currency: Currency.usd };
const rules = { programId: "prg_1", settings: { partialApproval: true, feeSchedule: [] } };
const { declined, pending } = TransactionStatus;
const at = (second: number) => new Date(Date.parse("2026-11-23T12:00:00.000Z") + second * 1_000);

function record(
  second: number,
  event: Partial<CardEvent>,
  decided?: StoredMovement["decided"],
  known: Partial<StoredMovement["movement"]> = {},
): StoredMovement {
  const sent = { programId: "prg_1", cardId: "crd_1", eventId: "", authorizationId: "A", ...event };
  const base = { cardId: "crd_1", ulid: String(second), availableMinor: 0, feeMinor: 0 };
  const movement = { ...base, atMs: at(second).getTime(), event: sent as CardEvent, ...known };
  return { movement, ...(decided && { decided }) };
}

const authorization = { kind: "authorization", amount: 100 } as const;
const increment = (amount: number) => ({ kind: "authorization_incremental", amount }) as const;
const total = (amount: number, second: number) =>
  ({ kind: "authorization_advice", amount, total: true, occurredAt: at(second).toISOString() }) as const;
const done = (amountMinor: number) => ({ transStatus: pending, amountMinor });
const refused = (amountMinor: number) => ({ transStatus: declined, amountMinor });

const heldAfter = (...records: StoredMovement[]) => {
  const hold = rebuildHolds(rules, card, records)("A");
  return hold && outstandingMinor(hold);
};

it("a hold has what was approved, whatever was asked for", () => {
  expect(heldAfter(record(1, authorization, done(60)), record(2, increment(50), refused(50)))).toBe(60);
  expect(heldAfter(record(1, authorization, refused(100)))).toBe(0);
});

it("a hold has its totals in the order in which they occurred", () => {
  const first = [record(1, authorization, done(100)), record(4, increment(50), done(50))];
  expect(heldAfter(...first, record(5, total(120, 3), done(120)))).toBe(170);
  expect(heldAfter(...first, record(6, total(120, 5), done(120)))).toBe(120);
  expect(heldAfter(...first, record(6, total(20, 5), done(130)), record(7, total(80, 2), done(0)))).toBe(20);
});

it("a question's decline leaves what other events of the hold have done", () => {
  const advice = record(1, { kind: "authorization_advice", amount: 70 }, done(70));
  const asked = record(2, authorization, refused(100), { approvedMinor: 0 });
  expect(heldAfter(advice, asked)).toBe(70);
});

it("a withdrawal has what later totals leave of it, whatever was posted", () => {
  const total = (amount: number) =>
    ({ kind: "atm_withdrawal", amount, feeAmount: 0, advice: true, total: true }) as const;
  const reversal = { kind: "authorization_reversal", amount: 20, total: true } as const;
  const records = [
    record(1, total(66), done(66)),
    record(2, total(65), done(1)),
    record(3, reversal, done(45)),
  ];
  expect(rebuildHolds(rules, card, records.slice(0, 2))("A")?.clearedMinor).toBe(65);
  expect(rebuildHolds(rules, card, records)("A")?.clearedMinor).toBe(20);
});

it("a hold that the platform expired stays so, whenever it began to hold an amount", () => {
  const expiry = record(9, { kind: "authorization_expiry" }, done(100), { dueAt: at(9).toISOString() });
  expect(heldAfter(record(1, authorization, done(100)), expiry)).toBe(0);
});

it("nothing is known of a hold without records", () => {
  expect(heldAfter()).toBeUndefined();
});
