import { describe, expect, test } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import {
  type CardApprovalTrigger,
  type CardTrigger,
  cardApprovalTransitions,
  cardTransitions,
} from "../../../shared/cards/card-status.ts";
import { type GivenProgram, givenCardInStatus, givenProgram, overwrite } from "../../harness/given-cards.ts";
import { storedEvents, storedItem } from "../../harness/stored.ts";

const stored = ({ programId }: GivenProgram, cardId: string) => storedItem(cards.key(programId, cardId));
const codeOf = ({ body }: { body: { status: string; code?: string } }) => body.code ?? body.status;

type Attempt = (program: GivenProgram, cardId: string) => Promise<string>;

const put =
  (status: number): Attempt =>
  async (program, cardId) =>
    codeOf(await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status } }));

const approval =
  (cardStatus: number, cardForm: 0 | 1): Attempt =>
  async (program, cardId) => {
    await overwrite(cards.key(program.programId, cardId), { cardForm });
    const body = { cardStatus };
    return codeOf(await program.call("POST /cards/{cardId}/approval", { path: { cardId }, body }));
  };

const activate: Attempt = async (program, cardId) => {
  const { lastFour, expiryMonth, expiryYear } = (await stored(program, cardId)) ?? {};
  const body = { lastFour, expiryMonth, expiryYear };
  return codeOf(await program.call("POST /cards/{cardId}/activate", { path: { cardId }, body }));
};

const close: Attempt = async (program, cardId) =>
  codeOf(await program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} }));

const attempts: Record<CardTrigger, Attempt> = {
  approveVirtual: approval(1, 0),
  approvePhysical: approval(1, 1),
  activate,
  hold: put(2),
  release: put(1),
  close,
  decline: approval(2, 0),
};

/** The law of 2-api.md, once more by hand, so that the tables themselves can be wrong. */
const legal: Record<CardTrigger, { from: number[]; to: number }> = {
  approveVirtual: { from: [0], to: 1 },
  approvePhysical: { from: [0], to: 4 },
  activate: { from: [4], to: 1 },
  hold: { from: [1], to: 2 },
  release: { from: [2], to: 1 },
  close: { from: [1, 2, 4], to: 3 },
  decline: { from: [0], to: 3 },
};
const legalApproval: Record<CardApprovalTrigger, { from: number[]; to: number }> = {
  approve: { from: [0], to: 1 },
  decline: { from: [0], to: 2 },
};

const edges = (law: Record<string, { from: number[]; to: number }>) =>
  Object.entries(law).flatMap(([trigger, { from, to }]) =>
    from.map((status) => ({ from: status, trigger, to })),
  );

describe("a card's operational status", () => {
  test("the tables contain exactly the legal changes", () => {
    const sorted = (steps: readonly object[]) => steps.map((step) => JSON.stringify(step)).toSorted();
    expect(sorted(cardTransitions)).toEqual(sorted(edges(legal)));
    expect(sorted(cardApprovalTransitions)).toEqual(sorted(edges(legalApproval)));
  });

  for (const [trigger, { from, to }] of Object.entries(legal)) {
    for (const status of [0, 1, 2, 3, 4]) {
      const isLegal = from.includes(status);
      test(`${trigger} in ${status} ${isLegal ? `leads to ${to}, and says so once` : "is refused, and changes nothing"}`, async () => {
        const program = await givenProgram();
        const cardId = await givenCardInStatus(program, {
          issuerCardStatus: status as 0 | 1 | 2 | 3 | 4,
          cardStatus: status === 0 ? 0 : 1,
        });
        if (trigger === "approvePhysical")
          await overwrite(cards.key(program.programId, cardId), { cardForm: 1 });
        const before = await stored(program, cardId);
        const eventsBefore = await storedEvents(program.programId);
        const result = await attempts[trigger as CardTrigger](program, cardId);
        const after = await stored(program, cardId);
        const events = (await storedEvents(program.programId)).slice(eventsBefore.length);
        if (isLegal) {
          expect(result).toBe("success");
          const statuses = { cardStatus: trigger === "decline" ? 2 : 1, issuerCardStatus: to };
          expect(after).toMatchObject(statuses);
          expect(events).toEqual([{ kind: "card.status_changed", detail: { cardId, ...statuses } }]);
        } else {
          expect(result).toBe("ILLEGAL_TRANSITION");
          expect(after).toEqual(before);
          expect(events).toEqual([]);
        }
      });
    }
  }
});
