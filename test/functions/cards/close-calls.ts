import type { GivenProgram } from "../../harness/given-cards.ts";

export const close = (program: GivenProgram, cardId: string, body: object = {}, headers = {}) =>
  program.call("POST /cards/{cardId}/close", { path: { cardId }, body, headers });
export const balance = async (program: GivenProgram, cardId: string) =>
  (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data;
export const walletBalance = async (program: GivenProgram, walletId: string) =>
  (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;
