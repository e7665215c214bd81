import { expect } from "vitest";
import type { StatementMonth, StatementView } from "../../../shared/contract/statements.ts";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";

/** Calls of one Card or Wallet. */
export function statementsOf(program: GivenProgram, kind: "card" | "wallet", accountId: string) {
  const [path, place] =
    kind === "card"
      ? [{ cardId: accountId }, "/cards/{cardId}/statements" as const]
      : [{ walletId: accountId }, "/wallets/{walletId}/statements" as const];
  const get = async (period: string, query: Record<string, string> = {}, headers = {}) =>
    program.call(`GET ${place}/{period}`, { path: { ...path, period }, query, headers });
  return {
    get,
    months: async (query: Record<string, string> = {}) => {
      const { status, body } = await program.call(`GET ${place}`, { path, query });
      expect(status, JSON.stringify(body)).toBe(200);
      return body as { items: StatementMonth[]; total: number };
    },
    view: async (period: string) => {
      const { status, body } = await get(period);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data as Required<StatementView>;
    },
    text: async (period: string, format: string) => {
      const { status, body } = await get(period, { format });
      expect(status, JSON.stringify(body)).toBe(200);
      return body as string;
    },
  };
}

/** A Program with a Card and a Wallet, and calls that must succeed. */
export async function givenAccounts(settings: object = {}) {
  const program = await givenProgram({ settings });
  const walletId = await givenWallet(program);
  const { cardId } = await givenCard(program);
  const done = async (
    route: `POST /${string}` | `PUT /${string}`,
    path: Record<string, string>,
    body: object = {},
  ) => {
    const answer = await program.call(route, { path, body });
    expect(answer.status, `${route} ${JSON.stringify(answer.body)}`).toBe(200);
    return answer.body.data;
  };
  return {
    program,
    walletId,
    cardId,
    done,
    onCard: (what: string, body: object = {}) => done(`POST /cards/{cardId}/${what}`, { cardId }, body),
    onWallet: (what: string, body: object = {}) =>
      done(`POST /wallets/{walletId}/${what}`, { walletId }, body),
    card: statementsOf(program, "card", cardId),
    wallet: statementsOf(program, "wallet", walletId),
  };
}
