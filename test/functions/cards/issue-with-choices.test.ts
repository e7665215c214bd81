import { describe, expect, test } from "vitest";
import type { ProgramSettings } from "../../../shared/contract/account-programs.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { readNotifications } from "../../../shared/notifications/stored-notification.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { injectFaults, isWrite } from "../../harness/faults.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenProgram,
  givenWallet,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { storedEvents, storedItems } from "../../harness/stored.ts";

const waits = skipLeaseWaits();

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

const cash = { name: "No cash", cash: "block" } as const;
const daily = { name: "Daily", velocity: { amount: 5_000, window: "day" } } as const;

describe("POST /cards with a load", () => {
  test("200: the Card begins with the money, and the load is a transfer like any other", async () => {
    const program = await given({ feeSchedule: [{ feeType: 1, amount: 450, basisPoints: 0 }] });
    const { walletId } = program;
    const load = { walletId, amount: 2_500, memo: "First", externalId: "load-1" };
    const { status, body } = await program.issue({ load });
    expect([status, body.data.load]).toEqual([
      200,
      { transferId: expect.stringMatching(/^trf_/), transStatus: 1 },
    ]);
    const { cardId } = body.data;
    const { transferId } = body.data.load;
    const path = { cardId };
    const balance = await program.call("GET /cards/{cardId}/balance", { path });
    expect(balance.body.data).toMatchObject({ availableBalance: 2_050, ledgerBalance: 2_050 });
    const transfers = await listed(program, "GET /wallets/{walletId}/transfers", { path: { walletId } });
    expect(transfers).toMatchObject([
      {
        transferId,
        transStatus: 1,
        destinationType: 1,
        destinationId: cardId,
        requestedAmount: 2_500,
        transferredAmount: 2_500,
        memo: "First",
        externalId: "load-1",
      },
    ]);
    const ofWallet = await listed(program, "GET /wallets/{walletId}/transactions", { path: { walletId } });
    expect(ofWallet[0]).toMatchObject({ type: "transfer_out", amount: -2_500, relatedId: transferId });
    const posted = await listed(program, "GET /cards/transactions", { query: { cardId } });
    expect(posted).toMatchObject([{ description: "Card load", amount: 2_500, type: "CR" }]);
    const proof = await program.call("GET /cards/{cardId}/balance/proof", { path });
    expect(proof.body.data).toMatchObject({ proven: true });
    const items = await expectBooksInOrder(program.programId);
    expect(balancesIn(items, walletId).availableMinor).toBe(7_500);
    // What it tells is the balance after the fee and the load.
    const told = (await storedEvents(program.programId)).filter(({ kind }) => kind === "transfer.completed");
    const notificationIds = told.flatMap(({ detail }) => detail.notificationIds as string[]);
    expect(told).toMatchObject([{ detail: { transferId, notificationIds: [expect.any(String)] } }]);
    const [notified] = await readNotifications(program.programId, notificationIds);
    expect(JSON.parse(notified?.body ?? "").SpData).toContain("20.5");
  });

  test("200: a later transfer to the Card adds up", async () => {
    const program = await given();
    const { walletId } = program;
    const { body } = await program.issue({ load: { walletId, amount: 100 } });
    const { cardId } = body.data;
    const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 7 };
    expect((await program.call("POST /wallets/transfer", { body: transfer })).body.data.transStatus).toBe(1);
    expect(balancesIn(await expectBooksInOrder(program.programId), cardId).availableMinor).toBe(107);
  });

  test("409 INSUFFICIENT_FUNDS, and nothing is made", async () => {
    const program = await given();
    const before = await storedItems(program.programId);
    const load = { walletId: program.walletId, amount: 10_001 };
    const { status, body } = await program.issue({ load, controls: [cash], externalId: "x" });
    expect([status, body.code]).toEqual([409, "INSUFFICIENT_FUNDS"]);
    expect(await storedItems(program.programId)).toEqual(before);
    expect((await program.issue({ load: { ...load, amount: 10_000 } })).status).toBe(200);
  });

  test("409: of loads at once, as many succeed as the Wallet has money for", async () => {
    const program = await given({}, 1_000);
    const load = { walletId: program.walletId, amount: 300 };
    const answers = await Promise.all(Array.from({ length: 6 }, () => program.issue({ load })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409, 409]);
    expect((await listed(program, "GET /cards")).length).toBe(3);
    const items = await expectBooksInOrder(program.programId);
    expect(balancesIn(items, program.walletId).availableMinor).toBe(100);
  });

  test("404: a Wallet that the Program does not have", async () => {
    const program = await given();
    const other = await given();
    for (const walletId of [other.walletId, "x"]) {
      const { status, body } = await program.issue({ load: { walletId, amount: 1 } });
      expect([status, body.code, body.errors?.[0].path]).toEqual([404, "NOT_FOUND", "body.load.walletId"]);
    }
    expect(await listed(program, "GET /cards")).toEqual([]);
  });

  test("422 at body.load: a Card that is not Active at once", async () => {
    const manual = await given({ issuanceApproval: 1 });
    const automatic = await given();
    for (const [program, details] of [
      [manual, {}],
      [automatic, { cardForm: 1, shippingAddress }],
    ] as const) {
      const before = await storedItems(program.programId);
      const load = { walletId: program.walletId, amount: 1 };
      const { status, body } = await program.issue({ ...details, load });
      expect([status, body.errors]).toEqual([422, [expect.objectContaining({ path: "body.load" })]]);
      expect(await storedItems(program.programId)).toEqual(before);
    }
  });

  test("422: an amount and a field of a wrong form, at their places", async () => {
    const { issue, walletId } = await given();
    for (const [load, path] of [
      [{ walletId, amount: 0 }, "body.load.amount"],
      [{ walletId }, "body.load.amount"],
      [{ amount: 5 }, "body.load.walletId"],
      [{ walletId, amount: 5, externalId: "x".repeat(65) }, "body.load.externalId"],
    ] as const) {
      const { status, body } = await issue({ load });
      expect([status, body.errors[0].path]).toEqual([422, path]);
    }
  });
});

describe("POST /cards with controls", () => {
  test("200: they are the Card's own, in the answer's order, with the one of singleUse last", async () => {
    const program = await given();
    const draft = { ...daily, state: "draft" } as const;
    const { status, body } = await program.issue({ controls: [cash, draft], singleUse: true });
    expect([status, body.data.controlIds.length]).toEqual([200, 3]);
    const { cardId, controlIds } = body.data;
    const views = await Promise.all(
      controlIds.map(
        async (controlId: string) =>
          (await program.call("GET /controls/{controlId}", { path: { controlId } })).body.data,
      ),
    );
    expect(views).toMatchObject([
      { ...cash, cardId, state: "active" },
      { ...daily, cardId, state: "draft" },
      { name: "Single use", singleUse: true, cardId, state: "active" },
    ]);
    const ofCard = await listed(program, "GET /controls", { query: { cardId } });
    expect(ofCard.map(({ controlId }) => controlId).toSorted()).toEqual([...controlIds].toSorted());
    // The first Card with a control of its own makes every process read them.
    expect(waits.count).toBe(1);
  });

  test("200: a single use declines the second purchase", async () => {
    const program = await given();
    const load = { walletId: program.walletId, amount: 5_000 };
    const { cardId } = (await program.issue({ load, singleUse: true })).body.data;
    const buy = () =>
      program.call("POST /cards/{cardId}/authorizations", {
        path: { cardId },
        body: { amount: 100, merchantName: "Corner Shop", mcc: "5411" },
      });
    const answers = [(await buy()).body.data, (await buy()).body.data];
    expect(answers.map(({ approved }) => approved)).toEqual([true, false]);
  });

  test("200: none asked for is none answered", async () => {
    const { issue } = await given();
    const plain = (await issue({ singleUse: false })).body.data;
    expect(plain).not.toHaveProperty("controlIds");
    expect(plain).not.toHaveProperty("load");
    expect(waits.count).toBe(0);
  });

  test("409 LIMIT_REACHED: eleven in force, and no Card", async () => {
    const program = await given();
    const controls = Array.from({ length: 10 }, () => cash);
    const { status, body } = await program.issue({ controls, singleUse: true });
    expect([status, body.code]).toEqual([409, "LIMIT_REACHED"]);
    expect(body.message).toBe("At most 10 controls in force for a Card are allowed, and there are 0.");
    expect(await listed(program, "GET /cards")).toEqual([]);
    expect(await listed(program, "GET /controls")).toEqual([]);
    await program.call("POST /controls", { body: cash });
    expect((await program.issue({ controls })).status).toBe(409);
    expect((await program.issue({ controls: controls.slice(1) })).status).toBe(200);
  });

  test("422 at its place: a bad control, a scope in it, and an eleventh", async () => {
    const { issue, cardholderId } = await given();
    for (const [controls, path] of [
      [[{ name: "None" }], "body.controls.0"],
      [[cash, { name: "Wrong", cash: "perhaps" }], "body.controls.1.cash"],
      [[{ ...cash, cardholderId }], "body.controls.0"],
      [[{ ...daily, velocity: { amount: -1, window: "day" } }], "body.controls.0.velocity.amount"],
      [Array.from({ length: 11 }, () => cash), "body.controls"],
    ] as const) {
      const { status, body } = await issue({ controls });
      expect([status, body.errors[0].path]).toEqual([422, path]);
    }
  });

  test("200: Cards issued at once with controls have them all", async () => {
    const program = await given();
    const answers = await Promise.all(Array.from({ length: 5 }, () => program.issue({ controls: [cash] })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await listed(program, "GET /controls")).length).toBe(5);
  });
});

describe("POST /cards with an expiry and a BIN", () => {
  const year = new Date().getUTCFullYear();
  const month = new Date().getUTCMonth() + 1;

  test("200: from this month to eight years ahead", async () => {
    const { issue } = await given();
    for (const expiry of [
      { expiryMonth: month, expiryYear: year },
      { expiryMonth: month, expiryYear: year + 8 },
      { expiryMonth: 1, expiryYear: year + 1 },
    ]) {
      expect((await issue(expiry)).body.data).toMatchObject(expiry);
    }
  });

  test("422: before, beyond, or half of it", async () => {
    const { issue } = await given();
    const before =
      month === 1 ? { expiryMonth: 12, expiryYear: year - 1 } : { expiryMonth: month - 1, expiryYear: year };
    const beyond =
      month === 12
        ? { expiryMonth: 1, expiryYear: year + 9 }
        : { expiryMonth: month + 1, expiryYear: year + 8 };
    for (const [expiry, path] of [
      [before, month === 1 ? "expiryYear" : "expiryMonth"],
      [beyond, month === 12 ? "expiryYear" : "expiryMonth"],
      [{ expiryMonth: month, expiryYear: year + 9 }, "expiryYear"],
      [{ expiryMonth: 13, expiryYear: year + 1 }, "expiryMonth"],
      [{ expiryMonth: 5 }, "expiryYear"],
      [{ expiryYear: year + 1 }, "expiryMonth"],
    ] as const) {
      const { status, body } = await issue(expiry);
      expect([status, body.errors[0].path]).toEqual([422, `body.${path}`]);
    }
  });

  test("one of the Program's BINs; the default is the first; Cards keep theirs", async () => {
    const program = await given({ cardBin: "510510", moreBins: ["51051199"] });
    const mask = async (details: object) => (await program.issue(details)).body.data?.maskedCardNumber;
    expect(await mask({})).toMatch(/^510510\*/);
    expect(await mask({ bin: "51051199" })).toMatch(/^510511\*/);
    for (const bin of ["400000", "510511", "51"]) {
      const { status, body } = await program.issue({ bin });
      expect([status, body.errors[0].path]).toEqual([422, "body.bin"]);
    }
  });
});

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
