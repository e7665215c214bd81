import { describe, expect, test } from "vitest";
import { cardholders, getCardholder } from "../../../shared/cardholders/cardholder.ts";
import {
  type CardholderTrigger,
  cardholderTransitions,
  changeCardholderStatus,
} from "../../../shared/cardholders/cardholder-status.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { type GivenProgram, givenCardholderInStatus, givenProgram } from "../../harness/given-cards.ts";
import { storedEvents, storedItem, storedItems } from "../../harness/stored.ts";

const statuses = [0, 1, 2, 3, 4, 5, 6, 7];

/** How each trigger reaches a Cardholder; whether it was let through, and the code if not. */
type Attempt = (program: GivenProgram, cardholderId: string) => Promise<string>;

const attempts: Record<CardholderTrigger, Attempt> = {
  submit: async (program, cardholderId) => {
    const path = { cardholderId };
    return codeOf(await program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} }));
  },
  conclude: kycOutcome(0),
  approve: kycOutcome(1),
  decline: kycOutcome(2),
  fail: kycOutcome(6),
  refuse: async ({ programId }, cardholderId) => {
    const cardholder = await getCardholder(programId, cardholderId);
    const outcome = await transact(changeCardholderStatus(programId, cardholder, "refuse"));
    return outcome.committed ? "success" : "ILLEGAL_TRANSITION";
  },
  delete: async (program, cardholderId) =>
    codeOf(await program.call("DELETE /cardholders/{cardholderId}", { path: { cardholderId } })),
};

function kycOutcome(status: number): Attempt {
  return async (program, cardholderId) => {
    const path = { cardholderId };
    return codeOf(
      await program.call("POST /cardholders/{cardholderId}/kyc-outcome", { path, body: { status } }),
    );
  };
}

function codeOf({ body }: { body: { status: string; code?: string } }): string {
  return body.code ?? body.status;
}

/** The law of 2-api.md, once more by hand, so that the table itself can be wrong. */
const legal: Record<CardholderTrigger, { from: number[]; to: number }> = {
  submit: { from: [2, 4, 6], to: 3 },
  conclude: { from: [3], to: 0 },
  approve: { from: [0, 3], to: 1 },
  decline: { from: [0, 3], to: 2 },
  fail: { from: [0, 3], to: 6 },
  refuse: { from: [0, 1, 3], to: 7 },
  delete: { from: [0, 1, 2, 3, 4, 6, 7], to: 5 },
};

describe("a Cardholder's status", () => {
  test("the table contains exactly the legal changes", () => {
    const edges = Object.entries(legal).flatMap(([trigger, { from, to }]) =>
      from.map((status) => ({ from: status, trigger, to })),
    );
    const byEdge = (edge: object) => JSON.stringify(edge);
    expect(cardholderTransitions.map(byEdge).toSorted()).toEqual(edges.map(byEdge).toSorted());
  });

  for (const [trigger, { from, to }] of Object.entries(legal)) {
    for (const status of statuses) {
      const isLegal = from.includes(status);
      test(`${trigger} in ${status} ${isLegal ? `leads to ${to}, and says so once` : "is refused, and changes nothing"}`, async () => {
        const program = await givenProgram();
        const cardholderId = await givenCardholderInStatus(program, status);
        const before = await storedItem(cardholders.key(program.programId, cardholderId));
        const result = await attempts[trigger as CardholderTrigger](program, cardholderId);
        const after = await storedItem(cardholders.key(program.programId, cardholderId));
        const events = await storedEvents(program.programId);
        if (isLegal) {
          expect(result).toBe("success");
          expect(after?.status).toBe(to);
          const changed = { kind: "cardholder.status_changed", detail: { cardholderId, status: to } };
          // Its request for a review: test/functions/cards/scenarios.txt.
          expect(events.filter(({ kind }) => kind !== "kyc.requested")).toEqual([changed]);
        } else {
          expect(result).toBe("ILLEGAL_TRANSITION");
          expect(after).toEqual(before);
          expect(events).toEqual([]);
        }
      });
    }
  }

  test("of racing steps out of one status, exactly one is taken", async () => {
    const program = await givenProgram();
    for (let round = 0; round < 5; round += 1) {
      const cardholderId = await givenCardholderInStatus(program, 3);
      const eventsBefore = (await storedEvents(program.programId)).length;
      const racing = ["approve", "decline", "fail", "approve", "decline", "fail"] as const;
      const results = await Promise.all(racing.map((trigger) => attempts[trigger](program, cardholderId)));
      expect(results.toSorted()).toEqual([...Array(5).fill("ILLEGAL_TRANSITION"), "success"]);
      const winner = racing[results.indexOf("success")] ?? "submit";
      const stored = await storedItem(cardholders.key(program.programId, cardholderId));
      expect(stored?.status).toBe(legal[winner].to);
      expect((await storedEvents(program.programId)).length).toBe(eventsBefore + 1);
    }
  });

  test("two submissions at once: one is under review, the other gets 409", async () => {
    const program = await givenProgram();
    const cardholderId = await givenCardholderInStatus(program, 4);
    const path = { cardholderId };
    const answers = await Promise.all(
      [1, 2].map(() => program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const items = await storedItems(program.programId);
    expect(items.map(({ sk }) => sk).filter((sk) => sk === "CARDHOLDER" || sk === "OUTBOX")).toHaveLength(3);
    // Created, put into its state by the test, submitted once.
    expect(items.filter(({ listed }) => listed !== undefined)).toHaveLength(3);
  });
});
