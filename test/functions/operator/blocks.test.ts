import { afterEach, describe, expect, it, vi } from "vitest";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
} from "../../harness/given-cards.ts";
import { allStoredItems, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

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
