import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type TransactWriteCommandInput, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { idempotencyRecords } from "../../../shared/platform/idempotency.ts";
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

  it("treats omitted fields as their defaults, and ignores the order of fields", async () => {
    const { body, send } = await given();
    const first = await send();
    const turned = Object.fromEntries(Object.entries(body).toReversed());
    expect((await send({ ...turned, allowPartial: false })).body.data).toEqual(first.body.data);
  });

  it("is another key on another endpoint, and in another Program", async () => {
    const ours = await given();
    const theirs = await given();
    const transfers = [await ours.send(), await theirs.send()];
    expect((await ours.deposit(100)).status).toBe(200);
    expect(new Set(transfers.map(({ body }) => body.data.transferId)).size).toBe(2);
  });

  it("counts as new after 24 hours, even where the row has not been deleted yet", async () => {
    const { programId, source, send } = await given();
    await send();
    const row = (expiresAtSeconds: number) =>
      table.send(
        new UpdateCommand({
          TableName: environment.issuingTable,
          Key: idempotencyRecords.key(programId, "POST /wallets/transfer", "key-1"),
          UpdateExpression: "SET expiresAtSeconds = :at",
          ConditionExpression: "attribute_exists(pk)",
          ExpressionAttributeValues: { ":at": expiresAtSeconds },
        }),
      );
    const nowSeconds = Math.floor(Date.now() / 1000);
    await row(nowSeconds + 60);
    await send();
    expect(balancesIn(await storedItems(programId), source).availableMinor).toBe(900);
    await row(nowSeconds);
    expect((await send({ amount: 7 })).body.data.transStatus).toBe(1);
    expect(balancesIn(await expectBooksInOrder(programId), source).availableMinor).toBe(893);
  });

  it("lives for 24 hours", async () => {
    const { programId, send } = await given();
    const before = Date.now() / 1000;
    await send();
    const row = (await storedItems(programId)).find(({ sk }) => sk === "IDEMPOTENCY");
    expect(Number(row?.expiresAtSeconds)).toBeGreaterThanOrEqual(before + 86_400);
    expect(Number(row?.expiresAtSeconds)).toBeLessThanOrEqual(Date.now() / 1000 + 86_401);
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
