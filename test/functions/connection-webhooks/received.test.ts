import { expect, it } from "vitest";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { refusedOf } from "../../harness/refused.ts";
import { givenConnection } from "./given-connection.ts";

it("a signed webhook that is written anew is the same one: what was interrupted is applied, once", async () => {
  const program = await givenProgram();
  const walletId = await givenWallet(program);
  const connection = await givenConnection(program, { port: "bank", adapter: "iso20022" });
  const deposit = { type: "deposit.announced", reference: walletId, amount: 1_250, currency: "USD" };
  const send = async (sentAt: number) => {
    const bankReference = `${program.programId}-1`;
    const text = JSON.stringify({ ...deposit, bankReference, eventId: "e-1", sentAt });
    const headers = signatureHeaders("m-1", Buffer.from(text), [connection.secret], now());
    return (await connection.post(text, headers)).status;
  };
  const ledger = async () =>
    (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.ledgerBalance;
  {
    using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
    expect(await send(1)).toBeGreaterThanOrEqual(500);
  }
  expect(await ledger()).toBe(0);
  expect([await send(2), await send(3), await ledger()]).toEqual([200, 200, 1_250]);
  expect(await refusedOf(program)).toEqual([]);
});
