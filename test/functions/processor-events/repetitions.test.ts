import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import { CardStatus, DepositStatus } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { refusedOf } from "../../harness/refused.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenProcessor, illegal, type Unsent } from "./given-processor.ts";

describe("repetitions of a processor event", () => {
  it("are answered the first result and move nothing, even at once and with answers lost", async () => {
    const { programId, wallet, send, pending } = await givenProcessor();
    using _ = injectFaults(firstCalls(3, "timeout-after-commit"));
    const results = await Promise.all(Array.from({ length: 20 }, () => send(pending(), "evt-1")));
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(balancesIn(await expectBooksInOrder(programId), wallet).ledgerMinor).toBe(100);
  });

  it("are answered the first result although the deposit has moved on since", async () => {
    const { programId, wallet, send, pending, cleared, reversed } = await givenProcessor();
    const depositId = newId("deposit");
    const first = await send(pending(depositId), "evt-1");
    await send(cleared(depositId), "evt-2");
    const refused = await send(reversed(depositId), "evt-3");
    const before = await storedItems(programId);
    const { result, cost } = await measure(() => send(pending(depositId), "evt-1"));
    expect(result).toEqual(first);
    expect(cost.calls.filter((call) => call === "TransactWriteItems")).toHaveLength(1);
    expect(await send(cleared(depositId), "evt-2")).toEqual({ outcome: "applied", depositId });
    expect(await send(reversed(depositId), "evt-3")).toEqual(refused);
    expect(await storedItems(programId)).toEqual(before);
    expect(balancesIn(before, wallet).availableMinor).toBe(100);
  });

  it("of a clearing are not needed if it races the deposit that it clears", async () => {
    const { programId, wallet, send, pending } = await givenProcessor();
    const closed = await givenStoredCard(programId, CardStatus.closed);
    for (const [accountType, accountId] of [[0, wallet] as const, [1, closed] as const]) {
      const details = { accountType, accountId, amount: 100, channel: "crypto" } as const;
      const depositIds = Array.from({ length: 10 }, () => newId("deposit"));
      await Promise.all(
        depositIds.flatMap((depositId) => [
          send({ ...pending(depositId), ...details, kind: "deposit_pending", depositId }),
          send({ ...details, kind: "deposit_cleared", depositId }),
        ]),
      );
      const items = await expectBooksInOrder(programId);
      const statuses = items
        .filter(
          ({ sk, depositId }) =>
            (sk === "DEPOSIT" || sk === "SUSPENSE") && depositIds.includes(String(depositId)),
        )
        .map(({ status }) => status);
      expect(statuses).toEqual(depositIds.map(() => DepositStatus.cleared));
    }
  });

  it("are none where money has the id of another one's: each is kept for the operator, once", async () => {
    const { programId, wallet, send, pending } = await givenProcessor();
    const cardId = await givenStoredCard(programId, CardStatus.active);
    const otherCard = await givenStoredCard(programId, CardStatus.active);
    const other = await givenStoredWallet(programId);
    const depositId = newId("deposit");
    const clearing = { kind: "clearing", cardId, amount: 300, final: true } as const;
    const deposit = pending(depositId);
    const queue = async (event: Unsent, eventId: string) => {
      const body = JSON.stringify({ programId, eventId, ...event });
      const attributes = { ApproximateFirstReceiveTimestamp: String(Date.now()) };
      const answer = await handler({ Records: [{ messageId: "1", body, attributes }] });
      expect(answer).toEqual({ batchItemFailures: [] });
    };
    const cash = { kind: "atm_withdrawal", cardId, amount: 300, advice: true, feeAmount: 0 } as const;
    const [settled, announced] = [await send(clearing, "evt-1"), await send(deposit, "evt-2")];
    const paid = await send(cash, "evt-3");
    const [feeId, otherFeeId] = await Promise.all(
      ["fee-1", "fee-2"].map(async (eventId) => {
        const charged = await send({ kind: "fee", feeType: 1, cardId, amount: 7 }, eventId);
        return (charged as { feeId: string }).feeId;
      }),
    );
    const transId = (settled as { transId: string }).transId;
    const [disputed, forgiven] = [
      await send({ kind: "chargeback", cardId, transId, amount: 100 }, "evt-4"),
      await send({ kind: "fee_reversal", cardId, feeId } as Unsent, "evt-5"),
    ];
    const others: [Unsent, string][] = [
      [{ ...clearing, amount: 301 }, "evt-1"],
      [{ ...clearing, amount: 302 }, "evt-1"],
      [{ ...clearing, cardId: otherCard }, "evt-1"],
      [{ ...cash, cardId: otherCard }, "evt-3"],
      [{ kind: "refund", cardId, amount: 300 }, "evt-1"],
      [{ kind: "fee", feeType: 1, cardId, amount: 300 }, "evt-1"],
      [{ kind: "authorization_reversal", cardId, authorizationId: "A" }, "evt-1"],
      [{ kind: "authorization_advice", cardId, authorizationId: "A", amount: 300, standIn: false }, "evt-1"],
      [{ kind: "chargeback", cardId, transId }, "evt-1"],
      [{ kind: "chargeback", cardId, transId, amount: 101 }, "evt-4"],
      [{ kind: "fee_reversal", cardId, feeId: otherFeeId } as Unsent, "evt-5"],
      [pending(depositId, 101), "evt-2"],
      [{ ...deposit, accountId: other } as Unsent, "evt-2"],
      [{ kind: "deposit_cleared", depositId }, "evt-2"],
      [{ kind: "deposit_returned", depositId, amount: 100 }, "evt-2"],
    ];
    for (const [event, eventId] of others) {
      expect([event, await send(event, eventId)]).toEqual([event, illegal]);
      for (const _ of [1, 2]) await queue(event, eventId);
    }
    expect(await send(clearing, "evt-1")).toEqual(settled);
    expect(await send(cash, "evt-3")).toEqual(paid);
    expect(await send({ kind: "chargeback", cardId, transId, amount: 100 }, "evt-4")).toEqual(disputed);
    expect(await send({ kind: "fee_reversal", cardId, feeId } as Unsent, "evt-5")).toEqual(forgiven);
    expect(await send(deposit, "evt-2")).toEqual(announced);
    const kept = (await refusedOf({ programId })).map(({ reason }) => reason.split(":")[0]);
    expect(kept.toSorted()).toEqual(others.map(([{ kind }]) => kind).toSorted());
    const items = await storedItems(programId);
    expect(balancesIn(items, cardId).ledgerMinor).toBe(-600 - 7 + 100);
    expect(balancesIn(items, wallet)).toMatchObject({ ledgerMinor: 100, availableMinor: 0 });
  });

  it("are another event in another Program", async () => {
    const ours = await givenProcessor();
    const theirs = await givenProcessor();
    await ours.send(ours.pending(), "evt-1");
    await theirs.send(theirs.pending(), "evt-1");
    expect(balancesIn(await storedItems(theirs.programId), theirs.wallet).ledgerMinor).toBe(100);
  });
});
