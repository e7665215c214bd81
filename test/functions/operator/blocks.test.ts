import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { CardholderStatus } from "../../../shared/contract/enums.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenCardholderInStatus,
  givenProgram,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { allStoredItems, storedEvents, storedItem, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { holdCall } from "../../shared/lists/given-list.ts";
import { by, expectRejected, unknownProgram } from "./expect-rejected.ts";

const view = async (program: GivenProgram, cardId: string) =>
  (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
const isBlocked = async (program: GivenProgram, cardId: string) => (await view(program, cardId)).blocked;
const authorize = ({ programId }: GivenProgram, cardId: string) =>
  processor({
    kind: "authorization",
    eventId: newId("event"),
    programId,
    cardId,
    authorizationId: newId("hold"),
    amount: 1,
  } as ProcessorEvent);
const audited = async (subjectId: string) =>
  (await allStoredItems()).filter((item) => item.subjectId === subjectId && item.auditId !== undefined);
const blockEvents = async ({ programId }: GivenProgram) =>
  (await storedEvents(programId)).filter(({ kind }) => String(kind).endsWith("blocked"));
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

describe("block-card", () => {
  it("stops the Card: it declines, keeps its status, and its Program cannot lift it", async () => {
    const { program, programId, cardIds } = await givenCards(1);
    const [cardId = ""] = cardIds;
    expect(await operate("block-card", { programId, cardId, reason: "Stolen" })).toEqual({
      cardId,
      blocked: true,
    });
    expect(await view(program, cardId)).toMatchObject({ blocked: true, issuerCardStatus: 1 });
    const list = await program.call("GET /cards");
    expect(list.body.items).toMatchObject([{ cardId, blocked: true, status: 1 }]);
    expect(await authorize(program, cardId)).toMatchObject({ declineReason: "CARD_BLOCKED" });
    const path = { cardId };
    const before = await storedItems(programId);
    const answers = [
      await program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } }),
      await program.call("PUT /cards/{cardId}/status", { path, body: { status: 1 } }),
      await program.call("POST /cards/{cardId}/close", { path, body: {} }),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([409, "CARD_BLOCKED"]),
    );
    expect(await storedItems(programId)).toEqual(before);
    expect(await audited(cardId)).toMatchObject([
      { action: "card.block", actor: by, programId, after: { blocked: true, reason: "Stolen" } },
    ]);
  });

  it("keeps a physical Card from being activated, right digits or wrong", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const card = await givenCard(program, { cardForm: 1, shippingAddress });
    const { cardId, expiryMonth, expiryYear } = card;
    await operate("block-card", { programId, cardId });
    for (const lastFour of [String(card.maskedCardNumber).slice(-4), "xxxx".replaceAll("x", "0")]) {
      const body = { lastFour, expiryMonth, expiryYear };
      const answer = await program.call("POST /cards/{cardId}/activate", { path: { cardId }, body });
      expect([answer.status, answer.body.code]).toEqual([409, "CARD_BLOCKED"]);
    }
  });

  it("still lets money in", async () => {
    const { program, cardIds } = await givenCards(1);
    const [cardId = ""] = cardIds;
    const wallet = (await program.call("POST /wallets", { body: { name: "Loads" } })).body.data.walletId;
    const funds = { path: { walletId: wallet }, body: { amount: 100 } };
    await program.call("POST /wallets/{walletId}/bank-deposit", funds);
    await operate("block-card", { programId: program.programId, cardId });
    const body = { sourceWalletId: wallet, destinationType: 1, destinationId: cardId, amount: 100 };
    expect((await program.call("POST /wallets/transfer", { body })).body.data.transStatus).toBe(1);
  });

  it("and unblock-card have an effect, an event and an audit entry only the first time", async () => {
    const { program, programId, cardIds } = await givenCards(1);
    const [cardId = ""] = cardIds;
    const before = await view(program, cardId);
    for (const command of ["block-card", "block-card", "unblock-card", "unblock-card"] as const) {
      const blocked = command === "block-card";
      expect(await operate(command, { programId, cardId })).toEqual({ cardId, blocked });
    }
    expect((await audited(cardId)).map(({ action }) => action).toSorted()).toEqual([
      "card.block",
      "card.unblock",
    ]);
    expect(await blockEvents(program)).toEqual([
      { kind: "card.blocked", detail: { cardId } },
      { kind: "card.unblocked", detail: { cardId } },
    ]);
    expect(await view(program, cardId)).toEqual(before);
    expect(await authorize(program, cardId)).toMatchObject({ declineReason: "INSUFFICIENT_FUNDS" });
  });

  it("and the other commands reject records that the Program does not have", async () => {
    const { programId, cardholderId, cardIds } = await givenCards(1);
    const [cardId = ""] = cardIds;
    for (const command of ["block-card", "unblock-card"]) {
      await expectRejected(command, { programId, cardId: "crd_00000000000000000000000000" });
      await expectRejected(command, { programId: unknownProgram, cardId });
    }
    for (const command of ["block-cardholder", "unblock-cardholder"]) {
      const unknown = "chd_00000000000000000000000000";
      await expectRejected(command, { programId, cardholderId: unknown });
      await expectRejected(command, { programId: unknownProgram, cardholderId });
    }
  });
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

  it("and block-card are two reasons, of which each is lifted alone", async () => {
    const { program, programId, cardholderId, cardIds } = await givenCards(2);
    const [cardId = "", sibling = ""] = cardIds;
    await operate("block-card", { programId, cardId });
    for (const _ of [1, 2]) await operate("block-cardholder", { programId, cardholderId });
    for (const _ of [1, 2]) await operate("unblock-cardholder", { programId, cardholderId });
    expect(await blockEvents(program)).toEqual([
      { kind: "card.blocked", detail: { cardId } },
      { kind: "cardholder.blocked", detail: { cardholderId } },
      { kind: "cardholder.unblocked", detail: { cardholderId } },
    ]);
    expect([await isBlocked(program, cardId), await isBlocked(program, sibling)]).toEqual([true, false]);
    await operate("block-cardholder", { programId, cardholderId });
    expect(await operate("unblock-card", { programId, cardId })).toEqual({ cardId, blocked: true });
    expect([await isBlocked(program, cardId), await isBlocked(program, sibling)]).toEqual([true, true]);
  });

  it("blocks a Card that is issued later, or approved later, until it is lifted", async () => {
    const { program, programId, cardholderId } = await givenCards(0, { issuanceApproval: 1 });
    const waiting = await givenCard(program, { cardholderId });
    await operate("block-cardholder", { programId, cardholderId });
    const issued = await givenCard(program, { cardholderId });
    expect(issued.blocked).toBe(true);
    for (const { cardId } of [waiting, issued]) {
      await operate("decide-issuance", { programId, cardId, cardStatus: 1 });
      expect(await authorize(program, cardId)).toMatchObject({ declineReason: "CARD_BLOCKED" });
    }
    await operate("unblock-cardholder", { programId, cardholderId });
    expect(await isBlocked(program, issued.cardId)).toBe(false);
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
  it("blocks the Cardholder's Cards; unblock-cardholder lets the Program close them", async () => {
    const program = await givenProgram();
    const { programId } = program;
    const { cardId, cardholderId } = await givenCard(program);
    const cardIds = [cardId, (await givenCard(program, { cardholderId })).cardId];
    await operate("refuse-cardholder", { programId, cardholderId });
    for (const one of cardIds) {
      const ids = { eventId: newId("event"), authorizationId: newId("hold") };
      const event = { kind: "authorization", programId, cardId: one, amount: 1, ...ids };
      expect(await processor(event as ProcessorEvent)).toMatchObject({ declineReason: "CARD_BLOCKED" });
    }
    expect(await storedEvents(programId)).toContainEqual({
      kind: "cardholder.blocked",
      detail: { cardholderId },
    });
    const stored = await storedItem(cardholders.key(programId, cardholderId));
    expect(stored).toMatchObject({ status: 7, blockedAt: expect.any(String) });
    const kinds = (await storedItems(programId)).map(({ kind }) => kind);
    expect(kinds).not.toContain("apply_cardholder_block");
    await operate("unblock-cardholder", { programId, cardholderId });
    const path = { cardId };
    expect((await program.call("POST /cards/{cardId}/close", { path, body: {} })).status).toBe(200);
  });

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
