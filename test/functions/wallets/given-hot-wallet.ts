import { handler as sandbox } from "../../../functions/sandbox/handler.ts";
import { handler } from "../../../functions/wallets/handler.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";

/** A Wallet whose balance is divided over 64 shards and its own item, and a Card. */
export async function givenHotWallet(amountMinor: number, inProgram?: string) {
  const programId = inProgram ?? (await givenStoredProgram());
  const walletId = await givenStoredWallet(programId, amountMinor);
  const cardId = await givenStoredCard(programId);
  const account = { kind: "wallet", accountId: walletId } as const;
  const call = (route: EventOptions["route"], options: Partial<EventOptions> = {}) => {
    const path = { walletId, ...options.path };
    return replay(handler, apiEvent({ ...options, route, path, caller: { programId } }));
  };
  const split = async () => (await splitWallet(programId, account, 0))?.shards !== undefined;
  await split();
  return {
    programId,
    walletId,
    cardId,
    account,
    call,
    split,
    transfer: async (amount: number, more: object = {}, headers: Record<string, string> = {}) => {
      const body = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount, ...more };
      return call("POST /wallets/transfer", { body, headers });
    },
    sandbox: (route: `POST /${string}`, path: Record<string, string>, body = {}, headers = {}) =>
      replay(sandbox, apiEvent({ route, path, caller: { programId }, body, headers })),
    view: async () => (await call("GET /wallets/{walletId}")).body.data,
    shards: async () => (await storedItems(programId)).filter(({ sk }) => sk === "SHARD"),
    /** Of journal and items, which must agree. */
    balances: async () => balancesIn(await expectBooksInOrder(programId), walletId),
  };
}

/** No reading of all shards at once succeeds. */
export const conflictingReads = () =>
  injectFaults(({ command }) => (command === "TransactGetItems" ? "conflict" : undefined));
