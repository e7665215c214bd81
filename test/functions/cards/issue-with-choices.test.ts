import { describe, expect, test } from "vitest";
import type { ProgramSettings } from "../../../shared/contract/account-programs.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults, isWrite } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenProgram,
  givenWallet,
} from "../../harness/given-cards.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";

skipLeaseWaits();

async function given(settings: Partial<ProgramSettings> = {}, funds = 10_000) {
  const program = await givenProgram({ settings });
  const cardholderId = await givenApprovedCardholder(program);
  const walletId = await givenWallet(program, funds);
  const issue = (details: object = {}, headers: Record<string, string> = {}) =>
    program.call("POST /cards", { body: { cardholderId, cardForm: 0, cardType: 0, ...details }, headers });
  return { ...program, cardholderId, walletId, issue };
}

const listed = async (program: GivenProgram, route: `GET /${string}`, call: object = {}) =>
  (await program.call(route, call)).body.items as Record<string, unknown>[];

const daily = { name: "Daily", velocity: { amount: 5_000, window: "day" } } as const;

describe("POST /cards with everything", () => {
  const everything = (walletId: string) => ({
    load: { walletId, amount: 500, externalId: "load" },
    controls: Array.from({ length: 9 }, () => daily),
    singleUse: true,
    externalId: "card",
  });

  // A part has 100: of more parts than 16, the Wallet is made whole.
  test.each([700, 1_200, 1_520, 1_700, 6_500])(
    "200: from a hot Wallet whose money is drawn from many parts, within one transaction: %i",
    async (amount) => {
      const fees = [1, 5].map((feeType) => ({ feeType: feeType as 1 | 5, amount: 100, basisPoints: 0 }));
      const program = await given({ feeSchedule: fees }, 6_500);
      const { walletId } = program;
      await splitWallet(program.programId, { kind: "wallet", accountId: walletId }, 0);
      const actions: number[] = [];
      using _ = injectFaults(({ command, input }) => {
        if (command === "TransactWriteItems") actions.push((input.TransactItems as unknown[]).length);
        return undefined;
      });
      const metadata = { a: "1" };
      const controls = Array.from({ length: 10 }, (_, index) => ({
        ...{ metadata, ...daily, externalId: `control-${index}` },
        ...(index === 9 && { state: "draft" }),
      }));
      const load = { walletId, amount, externalId: "load" };
      const body = { metadata, externalId: "card", singleUse: true, controls, load };
      const issued = await program.issue(body, { "Idempotency-Key": "once" });
      expect(issued.status, JSON.stringify(issued.body)).toBe(200);
      expect(Math.max(...actions)).toBeLessThanOrEqual(100);
      const items = await expectBooksInOrder(program.programId);
      expect(balancesIn(items, walletId).availableMinor).toBe(6_500 - amount);
      expect((await listed(program, "GET /controls")).length).toBe(11);
    },
  );

  for (const fault of ["conflict", "throttle", "server-error", "lost", "timeout-after-commit"] as const) {
    test(`200: once, although every write meets one ${fault}, and its repetition has the first answer`, async () => {
      const program = await given();
      const met = new Set<string>();
      const body = everything(program.walletId);
      const once = { "Idempotency-Key": "once" };
      let first: Awaited<ReturnType<typeof program.issue>>;
      {
        using _ = injectFaults((call) => {
          const contends = fault !== "conflict" || call.command.startsWith("Transact");
          if (!isWrite(call) || !contends || met.has(call.command)) return undefined;
          met.add(call.command);
          return fault;
        });
        first = await program.issue(body, once);
      }
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      expect((await program.issue(body, once)).body).toEqual(first.body);
      expect((await listed(program, "GET /cards")).length).toBe(1);
      expect((await listed(program, "GET /controls")).length).toBe(10);
      const items = await expectBooksInOrder(program.programId);
      expect(balancesIn(items, first.body.data.cardId).availableMinor).toBe(500);
    });
  }

  test("a process that ends at any call leaves all of it or nothing, and a repetition makes one", async () => {
    for (let at = 1; ; at += 1) {
      const program = await given();
      const body = everything(program.walletId);
      const once = { "Idempotency-Key": "once" };
      let calls = 0;
      {
        using faults = injectFaults(({ number }) => (number >= at ? "lost" : undefined));
        const answer = await program.issue(body, once);
        calls = faults.calls.filter(({ fault }) => fault).length;
        if (calls === 0) {
          expect(answer.status).toBe(200);
          break;
        }
      }
      const again = await program.issue(body, once);
      expect([200, 409]).toContain(again.status);
      const cards = await listed(program, "GET /cards");
      expect(cards.length).toBe(1);
      expect((await listed(program, "GET /controls")).length).toBe(10);
      const items = await expectBooksInOrder(program.programId);
      expect(balancesIn(items, program.walletId).availableMinor).toBe(9_500);
    }
  }, 120_000);
});
