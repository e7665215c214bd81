import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { CardholderStatus } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholderInStatus,
  givenProgram,
} from "../../harness/given-cards.ts";
import { allStoredItems, storedEvents, storedItem, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { holdCall } from "../../shared/lists/given-list.ts";

const view = async (program: GivenProgram, cardId: string) =>
  (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
const isBlocked = async (program: GivenProgram, cardId: string) => (await view(program, cardId)).blocked;
const audited = async (subjectId: string) =>
  (await allStoredItems()).filter((item) => item.subjectId === subjectId && item.auditId !== undefined);
const openDeadlines = async ({ programId }: GivenProgram) =>
  (await storedItems(programId)).filter(({ kind }) => kind === "apply_cardholder_block");

/** A Cardholder with so many Cards. */
async function givenCards(count: number, settings = {}) {
  const program = await givenProgram({ settings });
  const cardholderId = await givenApprovedCardholder(program);
  const cardIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    cardIds.push((await givenCard(program, { cardholderId })).cardId);
  }
  return { program, programId: program.programId, cardholderId, cardIds };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("block-cardholder", () => {
  it("blocks all Cards of the Cardholder, even more than fit into a transaction, and no others", async () => {
    const { program, programId, cardholderId, cardIds } = await givenCards(28);
    const other = await givenCard(program);
    const reason = "Fraud";
    expect(await operate("block-cardholder", { programId, cardholderId, reason })).toEqual({
      cardholderId,
      blocked: true,
      cards: 28,
    });
    for (const cardId of cardIds) expect(await isBlocked(program, cardId)).toBe(true);
    expect(await isBlocked(program, other.cardId)).toBe(false);
    expect(await openDeadlines(program)).toEqual([]);
    expect(await operate("unblock-cardholder", { programId, cardholderId })).toMatchObject({ cards: 28 });
    for (const cardId of cardIds) expect(await isBlocked(program, cardId)).toBe(false);
    const actions = (await audited(cardholderId)).map(({ action }) => action).toSorted();
    expect(actions).toEqual(["cardholder.block", "cardholder.unblock"]);
  });

  it.each([true, false])(
    "meets a Card that is issued at the same moment (blocking: %s)",
    async (blocking) => {
      const { program, programId, cardholderId } = await givenCards(0);
      if (!blocking) await operate("block-cardholder", { programId, cardholderId });
      const held = holdCall((input) => input.includes("ADD #openCards"));
      const issuing = givenCard(program, { cardholderId });
      await held.reached;
      await operate(blocking ? "block-cardholder" : "unblock-cardholder", { programId, cardholderId });
      held.release();
      const { cardId, blocked } = await issuing;
      expect([blocked, await isBlocked(program, cardId)]).toEqual([blocking, blocking]);
    },
  );

  it("overtaken by unblock-cardholder leaves no Card blocked", async () => {
    const { program, programId, cardholderId, cardIds } = await givenCards(2);
    const held = holdCall((input) => input.includes("SET #cardholderBlockedAt"));
    const blocking = operate("block-cardholder", { programId, cardholderId });
    await held.reached;
    await operate("unblock-cardholder", { programId, cardholderId });
    held.release();
    await blocking;
    for (const cardId of cardIds) expect(await isBlocked(program, cardId)).toBe(false);
  });

  /** The command's first write is committed, and then it is killed. */
  async function killed(run: () => Promise<unknown>) {
    let isMarked = false;
    using _ = injectFaults(({ command, input }) => {
      if (isMarked) return "lost";
      isMarked = command === "TransactWriteItems" && JSON.stringify(input).includes("apply_cardholder_block");
      return undefined;
    });
    await expect(run()).rejects.toThrow();
  }

  it.each(["block-cardholder", "refuse-cardholder"] as const)(
    "%s is finished by a deadline where it was killed",
    async (command) => {
      const { program, programId, cardholderId, cardIds } = await givenCards(3);
      await killed(() => operate(command, { programId, cardholderId }));
      expect(await isBlocked(program, cardIds[0] ?? "")).toBe(false);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
      await sweepDeadlines();
      for (const cardId of cardIds) expect(await isBlocked(program, cardId)).toBe(true);
      expect(await openDeadlines(program)).toEqual([]);
    },
  );

  it("is finished by its repetition too, before the deadline", async () => {
    const { program, programId, cardholderId, cardIds } = await givenCards(2);
    await killed(() => operate("block-cardholder", { programId, cardholderId }));
    expect(await operate("block-cardholder", { programId, cardholderId })).toMatchObject({ cards: 2 });
    for (const cardId of cardIds) expect(await isBlocked(program, cardId)).toBe(true);
    expect(await audited(cardholderId)).toHaveLength(1);
  });
});

describe("refuse-cardholder", () => {
  const changes: Record<string, (program: GivenProgram, cardholderId: string) => Promise<unknown>> = {
    "is approved": ({ programId }, cardholderId) => {
      const ids = { eventId: newId("event"), programId, cardholderId };
      return processor({ kind: "kyc_outcome", status: CardholderStatus.approved, ...ids });
    },
    "is blocked": ({ programId }, cardholderId) => operate("block-cardholder", { programId, cardholderId }),
  };

  it.each(Object.keys(changes))("declines a Cardholder that %s at the same moment", async (name) => {
    const program = await givenProgram();
    const { programId } = program;
    const cardholderId = await givenCardholderInStatus(program, CardholderStatus.underReview);
    const held = holdCall((input) => input.includes("cardholder.refuse"));
    const refusing = operate("refuse-cardholder", { programId, cardholderId });
    await held.reached;
    await changes[name]?.(program, cardholderId);
    held.release();
    expect(await refusing).toEqual({ cardholderId, status: CardholderStatus.adminDecline });
    const stored = await storedItem(cardholders.key(programId, cardholderId));
    expect(stored).toMatchObject({ status: CardholderStatus.adminDecline, blockedAt: expect.any(String) });
    const kinds = (await storedEvents(programId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "cardholder.blocked")).toHaveLength(1);
    const listed = (await program.call("GET /cardholders", { query: { status: "7" } })).body.items;
    expect(listed).toMatchObject([{ cardholderId }]);
  });

  it("rejects a Cardholder that is deleted at the same time", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const cardholderId = await givenCardholderInStatus(program, CardholderStatus.approved);
    const held = holdCall((input) => input.includes("cardholder.refuse"));
    const refusing = operate("refuse-cardholder", { programId, cardholderId });
    await held.reached;
    await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } });
    held.release();
    await expect(refusing).rejects.toThrow(expect.objectContaining({ name: "CommandRejected" }));
  });
});
