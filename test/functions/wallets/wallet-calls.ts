import type { GivenProgram } from "../../harness/given-cards.ts";

export interface Row {
  readonly walletTransactionId: string;
  readonly type: string;
  readonly amount: number;
  readonly relatedId: string;
  readonly description?: string;
  readonly dateCreated: string;
}

type Route = Parameters<GivenProgram["call"]>[0];

export async function done(
  program: GivenProgram,
  route: Route,
  path: Record<string, string>,
  body: object = {},
) {
  const answer = await program.call(route, { path, body });
  if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

export async function list(program: GivenProgram, walletId: string, query: Record<string, string> = {}) {
  const { status, body } = await program.call("GET /wallets/{walletId}/transactions", {
    path: { walletId },
    query,
  });
  return { ...(body as { items: Row[]; total: number; code?: string }), status };
}

export async function ledgerBalance(program: GivenProgram, walletId: string): Promise<number> {
  return (await done(program, "GET /wallets/{walletId}", { walletId })).ledgerBalance;
}

export const sum = (rows: readonly Row[]) => rows.reduce((total, { amount }) => total + amount, 0);

export async function transfer(
  program: GivenProgram,
  from: string,
  to: string,
  amount: number,
  memo?: string,
) {
  const destinationType = to.startsWith("wlt_") ? 0 : 1;
  const body = { sourceWalletId: from, destinationType, destinationId: to, amount, memo };
  return done(program, "POST /wallets/transfer", {}, body);
}

/** A digital-asset deposit of the sandbox, pending unless `pending` is false. */
export async function deposit(program: GivenProgram, walletId: string, amount: number, pending = true) {
  const { depositId } = await done(
    program,
    "POST /wallets/{walletId}/deposits",
    { walletId },
    { amount, pending },
  );
  return depositId as string;
}
