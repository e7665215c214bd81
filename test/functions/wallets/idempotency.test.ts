import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";

async function given(availableMinor = 1_000) {
  const programId = await givenStoredProgram();
  const source = await givenStoredWallet(programId, availableMinor);
  const destination = await givenStoredWallet(programId);
  const body = { sourceWalletId: source, destinationType: 0, destinationId: destination, amount: 100 };
  const send = (changes: object = {}, key = "key-1") =>
    replay(
      handler,
      apiEvent({
        route: "POST /wallets/transfer",
        caller: { programId },
        body: { ...body, ...changes },
        headers: { "Idempotency-Key": key },
      }),
    );
  const deposit = (amount: number, key = "key-1") =>
    replay(
      handler,
      apiEvent({
        route: "POST /wallets/{walletId}/bank-deposit",
        path: { walletId: source },
        caller: { programId },
        body: { amount },
        headers: { "idempotency-key": key },
      }),
    );
  return { programId, source, destination, body, send, deposit };
}

/** Each transaction's idempotency row is locked by another transaction. */
function contendedKey(): Disposable {
  table.middlewareStack.add(
    (_next) => (args) => {
      const { TransactItems = [] } = args.input as TransactWriteCommandInput;
      const CancellationReasons = TransactItems.map(({ Put }) => ({
        Code: Put?.Item?.sk === "IDEMPOTENCY" ? "TransactionConflict" : "None",
      }));
      throw new TransactionCanceledException({ $metadata: {}, message: "", CancellationReasons });
    },
    { step: "initialize", name: "contended-key" },
  );
  return { [Symbol.dispose]: () => void table.middlewareStack.remove("contended-key") };
}

describe("Idempotency-Key", () => {
  it("answers the same request with its first answer, in one round trip, and moves nothing again", async () => {
    const { programId, source, send } = await given();
    const first = await send();
    const before = await storedItems(programId);
    const { result, cost } = await measure(() => send());
    expect(result.body.data).toEqual(first.body.data);
    expect(cost.roundTrips).toBe(1);
    expect(await storedItems(programId)).toEqual(before);
    expect(balancesIn(before, source).availableMinor).toBe(900);
  });

  it("lets a caller whose answer was lost find out what became of the transfer", async () => {
    const { programId, source, send } = await given();
    {
      using _ = injectFaults(firstCalls(4, "timeout-after-commit"));
      const lost = await send();
      expect([lost.status, lost.body.code]).toEqual([503, "UNAVAILABLE"]);
    }
    expect((await send()).body.data.transStatus).toBe(1);
    expect(balancesIn(await expectBooksInOrder(programId), source).availableMinor).toBe(900);
  });

  it("answers 503 where an account stays contended, and moves nothing", async () => {
    const { programId, send } = await given();
    const before = await storedItems(programId);
    {
      using _ = injectFaults(() => "conflict");
      const answer = await withinTime(200, send);
      expect([answer.status, answer.body.code]).toEqual([503, "UNAVAILABLE"]);
    }
    expect(await storedItems(programId)).toEqual(before);
  });

  it("answers 409 while a request with the same key is in flight, and moves nothing", async () => {
    const { programId, send } = await given();
    const before = await storedItems(programId);
    {
      using _ = contendedKey();
      const answer = await withinTime(200, send);
      expect([answer.status, answer.body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"]);
    }
    expect(await storedItems(programId)).toEqual(before);
  });

  it.each(["", "x".repeat(256), "tab\there", "é"])("rejects %j with 422", async (key) => {
    const { send } = await given();
    const answer = await send({}, key);
    expect([answer.status, answer.body.errors[0].path]).toEqual([422, "header.Idempotency-Key"]);
  });
});
