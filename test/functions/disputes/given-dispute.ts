import type { DisputeView } from "../../../shared/contract/disputes.ts";
import { expectBooksInOrder } from "../../harness/books.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

/** A card with 100.00, of which a purchase of 30.00 is settled. */
export async function givenPurchase(settings: object = {}) {
  const program = await givenProgram({ settings });
  const { cardId, cardholderId } = await givenCard(program);
  const onCard = async (what: string, body: object) =>
    (await program.call(`POST /cards/{cardId}/${what}`, { path: { cardId }, body })).body.data;
  await onCard("bank-deposit", { amount: 10_000 });
  const { transId } = (await onCard("force-post", { amount: 3_000 })) as { transId: string };
  return {
    program,
    cardId,
    cardholderId,
    transId,
    onCard,
    create: (body: object = {}, headers = {}) =>
      program.call("POST /disputes", {
        body: { referenceCode: transId, reason: "not_received", ...body },
        headers,
      }),
    balances: async () => {
      await expectBooksInOrder(program.programId);
      const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
      return [body.data.availableBalance, body.data.ledgerBalance];
    },
    types: async () => {
      const { body } = await program.call("GET /cards/transactions", { query: { cardId, limit: "200" } });
      const items = body.items as { transType: number; amount: number; type: string }[];
      return items.map(({ transType, amount }) => [transType, amount]).toReversed();
    },
  };
}

export type Purchase = Awaited<ReturnType<typeof givenPurchase>>;

/** The purchase, with a new dispute of it, and what can be done with it. */
export async function givenDispute(settings: object = {}, body: object = {}) {
  const purchase = await givenPurchase(settings);
  const created = await purchase.create(body);
  const { disputeId } = created.body.data as DisputeView;
  return { ...purchase, disputeId, ...stepsOf(purchase.program, disputeId) };
}

function stepsOf(program: GivenProgram, disputeId: string) {
  const path = { disputeId };
  const step = (name: string, more: object = {}) =>
    program.call(`POST /disputes/{disputeId}/${name}`, { path, ...more });
  return {
    step,
    outcome: (status: string) => step("outcome", { body: { status } }),
    change: (body: object) => program.call("PUT /disputes/{disputeId}", { path, body }),
    view: async () =>
      (await program.call("GET /disputes/{disputeId}", { path })).body.data as unknown as DisputeView,
    events: async () => {
      const query = { sort: "asc" };
      const { body } = await program.call("GET /disputes/{disputeId}/events", { path, query });
      return body.items as { trigger: string; status: string }[];
    },
  };
}
