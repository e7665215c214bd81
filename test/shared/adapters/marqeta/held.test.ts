import { describe, expect, it } from "vitest";
import { marqeta } from "../../../../shared/adapters/marqeta/marqeta.ts";
import { marqetaTransaction, marqetaWebhook } from "../../../harness/marqeta-messages.ts";

const token = "01J9ZC3P2V8Q4N6T0B5W7XKD1C";
const options = {
  programId: "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B",
  findCard: async () => ({ cardId: `crd_${token}`, currency: 0 }) as const,
};
const read = (transaction: object) =>
  marqeta.toMessage({ headers: {}, body: marqetaWebhook(transaction) }, options);
const of = (type: string, more: object) => marqetaTransaction(token, "t-1", 1_050, { type, ...more });

describe("whether money stays held", () => {
  const clearing = (more: object) => of("authorization.clearing", { preceding: "b", more });

  it.each([
    [{}, true],
    [{ multi_clearing_sequence_number: "01", multi_clearing_sequence_count: "03" }, false],
    [{ multi_clearing_sequence_number: 3, multi_clearing_sequence_count: 3 }, true],
    [{ is_final_clearing: false }, false],
    [
      { is_final_clearing: true, multi_clearing_sequence_number: "01", multi_clearing_sequence_count: "03" },
      true,
    ],
    [
      { amount_to_be_released: 2, multi_clearing_sequence_number: "01", multi_clearing_sequence_count: "03" },
      true,
    ],
  ])("a clearing with %o is final: %s", async (more, final) => {
    expect((await read(clearing(more))).events).toMatchObject([{ kind: "clearing", final }]);
  });

  it.each([
    [{}, { authorizationId: "b", precedingEventId: "marqeta:b" }],
    [{ original_transaction_token: "a" }, { authorizationId: "a" }],
    [{ original_transaction_token: "t-1" }, { authorizationId: "b", precedingEventId: "marqeta:b" }],
    [
      { preceding_related_transaction_token: undefined, preceding_transaction: { token: "c" } },
      { authorizationId: "c", precedingEventId: "marqeta:c" },
    ],
    [
      {
        preceding_related_transaction_token: undefined,
        incremental_authorization_transaction_tokens: ["i"],
      },
      { authorizationId: "i", precedingEventId: "marqeta:i" },
    ],
    [{ preceding_related_transaction_token: undefined }, {}],
  ])("a clearing with %o is tied to %o", async (more, tie) => {
    const [event] = (await read(clearing(more))).events;
    const { authorizationId, precedingEventId } = event as { [name: string]: unknown };
    expect({ authorizationId, precedingEventId }).toEqual({ authorizationId: undefined, ...tie });
  });
});
