import { expect } from "vitest";
import type { Identity } from "../../shared/contract/balances.ts";
import { givenCard, givenProgram } from "./given-cards.ts";

export type ProvableCard = Awaited<ReturnType<typeof givenProvableCard>>;

/** A card of a new Program, what can be done with it, and the proof of its balances. */
export async function givenProvableCard() {
  const program = await givenProgram();
  const { cardId } = await givenCard(program);
  const done = async (route: `POST /${string}`, path: Record<string, string>, body?: object) => {
    const answer = await program.call(route, { path, ...(body && { body }) });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data as Record<string, string>;
  };
  const onCard = (route: string, body: object) => done(`POST /cards/{cardId}/${route}`, { cardId }, body);
  const prove = async () => {
    const { status, body } = await program.call("GET /cards/{cardId}/balance/proof", { path: { cardId } });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data as { identities: Identity[]; proven: boolean } & Record<string, unknown>;
  };
  return {
    program,
    cardId,
    done,
    onCard,
    prove,
    /** The names of the identities that do not hold. */
    broken: async () => {
      const { identities, proven } = await prove();
      const failing = identities.filter(({ holds }) => !holds).map(({ name }) => name);
      expect(proven).toBe(failing.length === 0);
      return failing;
    },
    /** A hold, a pending deposit, a settlement and a fee. */
    used: async () => {
      await onCard("bank-deposit", { amount: 10_000 });
      await onCard("authorizations", { amount: 1_500 });
      await onCard("force-post", { amount: 700 });
      await onCard("fees", { feeType: 5, amount: 20 });
      await onCard("deposits", { amount: 3_000 });
    },
  };
}
