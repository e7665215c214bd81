import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { type DynamoCall, type FaultKind, injectFaults } from "../../harness/faults.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type Answer, replay } from "../../harness/replay.ts";
import { eventsIn } from "../../harness/stored.ts";

function send(programId: string, body: Record<string, unknown>, key?: string): Promise<Answer> {
  const headers = key === undefined ? undefined : { "Idempotency-Key": key };
  return replay(handler, apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body, headers }));
}

/** A hundred concurrent transfers of 10 from a wallet with 600, to a wallet or card in turn. */
async function hundredAtOnce(): Promise<{ answers: Answer[]; programId: string; source: string }> {
  const programId = await givenStoredProgram();
  const source = await givenStoredWallet(programId, 600);
  const wallet = await givenStoredWallet(programId);
  const card = await givenStoredCard(programId);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      send(programId, {
        sourceWalletId: source,
        destinationType: index % 2,
        destinationId: index % 2 === 0 ? wallet : card,
        amount: 10,
      }),
    ),
  );
  return { answers, programId, source };
}

function counted(answers: readonly Answer[]) {
  const having = (transStatus: number) =>
    answers.filter(({ status, body }) => status === 200 && body.data.transStatus === transStatus).length;
  return { approved: having(1), declined: having(2) };
}

/** Random, reproducible faults, at most two per transaction, so that retries suffice. */
function sometimes(kinds: readonly FaultKind[], share: number, seed: number) {
  let state = seed;
  const met = new Map<unknown, number>();
  return ({ command, input }: DynamoCall): FaultKind | undefined => {
    if (command !== "TransactWriteItems") return undefined;
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const token = input.ClientRequestToken;
    const before = met.get(token) ?? 0;
    if (before === 2 || state / 2 ** 32 >= share) return undefined;
    met.set(token, before + 1);
    return kinds[(state >>> 8) % kinds.length];
  };
}

describe("POST /wallets/transfer, a hundred at once from a wallet that can pay sixty", () => {
  it("approves exactly sixty, declines forty, and conserves the sum", async () => {
    const { answers, programId, source } = await hundredAtOnce();
    expect(counted(answers)).toEqual({ approved: 60, declined: 40 });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, source).availableMinor).toBe(0);
    expect(eventsIn(items).filter(({ kind }) => kind === "transfer.completed")).toHaveLength(60);
    expect(eventsIn(items).filter(({ kind }) => kind === "transfer.declined")).toHaveLength(40);
  });

  it("does so too with conflicts, throttling and answers lost after the commit", async () => {
    const kinds = ["conflict", "throttle", "timeout-after-commit", "server-error", "lost"] as const;
    using faults = injectFaults(sometimes(kinds, 0.1, 7));
    const { answers, programId, source } = await hundredAtOnce();
    expect(faults.calls.some(({ fault }) => fault !== undefined)).toBe(true);
    expect(counted(answers)).toEqual({ approved: 60, declined: 40 });
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, source).availableMinor).toBe(0);
  });
});

const transferOf = fc.record({
  from: fc.nat(2),
  to: fc.nat(3),
  amount: fc.integer({ min: 1, max: 120 }),
  allowPartial: fc.boolean(),
});

describe("POST /wallets/transfer, any set of transfers at once, faults included", () => {
  it("never overdraws, conserves the sum, and answers what the books say", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(transferOf, { minLength: 5, maxLength: 25 }),
        fc.nat(),
        async (transfers, seed) => {
          const programId = await givenStoredProgram();
          const wallets = await Promise.all(
            [100, 150, 50].map((amount) => givenStoredWallet(programId, amount)),
          );
          const card = await givenStoredCard(programId);
          const answers: Answer[] = [];
          {
            using _ = injectFaults(sometimes(["conflict", "timeout-after-commit"], 0.15, seed));
            const requests = transfers
              .filter(({ from, to }) => from !== to)
              .map(({ from, to, ...rest }) =>
                send(programId, {
                  sourceWalletId: wallets[from],
                  destinationType: to === 3 ? 1 : 0,
                  destinationId: wallets[to] ?? card,
                  ...rest,
                }),
              );
            answers.push(...(await Promise.all(requests)));
          }
          const items = await expectBooksInOrder(programId);
          const balances = [...wallets, card].map((id) => balancesIn(items, id).availableMinor);
          expect(balances.reduce((sum, balance) => sum + balance, 0)).toBe(300);

          const expected = [100, 150, 50, 0];
          for (const { status, body } of answers) {
            expect(status).toBe(200);
            const { transStatus, requestedAmount, transferredAmount, sourceWalletId, destinationId } =
              body.data;
            const from = wallets.indexOf(sourceWalletId);
            const to = [...wallets, card].indexOf(destinationId);
            expected[from] = (expected[from] ?? 0) - transferredAmount;
            expected[to] = (expected[to] ?? 0) + transferredAmount;
            if (transStatus === 1) expect(transferredAmount).toBe(requestedAmount);
            else if (transStatus === 2) expect(transferredAmount).toBe(0);
            else expect(transferredAmount).toBeLessThan(requestedAmount);
          }
          expect(balances).toEqual(expected);
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe("POST /wallets/transfer, repeated with one Idempotency-Key", () => {
  it("moves money once for twenty at once, and gives all of them the same answer", async () => {
    const programId = await givenStoredProgram();
    const source = await givenStoredWallet(programId, 1_000);
    const destinationId = await givenStoredWallet(programId);
    const body = { sourceWalletId: source, destinationType: 0, destinationId, amount: 100 };
    using _ = injectFaults(sometimes(["conflict", "timeout-after-commit"], 0.2, 3));
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(programId, body, "the key")));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body.data))).size).toBe(1);
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, source).availableMinor).toBe(900);
    expect(eventsIn(items)).toHaveLength(3 - 1);
  });
});
