import { afterEach, describe, expect, it, vi } from "vitest";
import { transactions } from "../../../shared/transactions/transaction.ts";
import { toVerificationView } from "../../../shared/verification/presentation.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { decline, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { measure } from "../../harness/measure.ts";
import { givenAuthentications } from "./given-authentications.ts";

afterEach(() => void vi.useRealTimers());
const days = 86_400_000;

/** A Card with 1,000.00 that approves all authentications. */
async function given() {
  const { program, cardId, ...calls } = await givenAuthentications();
  await program.call("POST /cards/{cardId}/deposits", {
    path: { cardId },
    body: { amount: 100_000, pending: false },
  });
  await calls.putRules({ rules: [], otherwise: "approve" });
  const authorize = (body: object = {}) => authorizeOn(program, cardId, body);
  return { program, cardId, ...calls, authorize };
}

const authorizeOn = async (program: GivenProgram, cardId: string, body: object) =>
  program.call("POST /cards/{cardId}/authorizations", {
    path: { cardId },
    body: { amount: 4_999, merchantName: "WEB SHOP", entryMode: "ecommerce", ...body },
  });

async function threeDSOf(program: GivenProgram, cardId: string, transId: string) {
  const { event } = await transactions.at(program.programId, cardId, transId).require();
  return toVerificationView({ ...event })?.threeDS;
}

describe("a purchase that names its authentication", () => {
  it("has it: state of the authentication, once", async () => {
    const { program, cardId, request, view, authorize } = await given();
    const { authenticationId } = await request(cardId);
    const first = (await authorize({ authenticationId })).body.data;
    expect(first.approved).toBe(true);
    expect(await threeDSOf(program, cardId, first.transId)).toBe("authenticated");
    expect((await view(authenticationId)).authorizationId).toBe(first.authorizationId);
    const second = (await authorize({ authenticationId, amount: 100 })).body.data;
    expect(second.approved).toBe(true);
    expect(await threeDSOf(program, cardId, second.transId)).toBe("reused");
    expect((await view(authenticationId)).authorizationId).toBe(first.authorizationId);
  });

  it("of two at once, one has it", async () => {
    const { program, cardId, request, view, authorize } = await given();
    for (let round = 0; round < 5; round += 1) {
      const { authenticationId } = await request(cardId);
      const made = await Promise.all([1, 2, 3].map((amount) => authorize({ authenticationId, amount })));
      const results = await Promise.all(
        made.map(({ body }) => threeDSOf(program, cardId, body.data.transId)),
      );
      expect(results.toSorted()).toEqual(["authenticated", "reused", "reused"]);
      const winner = made[results.indexOf("authenticated")]?.body.data.authorizationId;
      expect((await view(authenticationId)).authorizationId).toBe(winner);
    }
  });

  it("that is declined uses up nothing", async () => {
    const { program, cardId, request, view, authorize } = await given();
    const { authenticationId } = await request(cardId, { amount: 200_000 });
    const declined = (await authorize({ authenticationId, amount: 150_000 })).body.data;
    expect(declined.declineReason).toBe("INSUFFICIENT_FUNDS");
    expect(await threeDSOf(program, cardId, declined.transId)).toBe("authenticated");
    expect((await view(authenticationId)).authorizationId).toBeUndefined();
    const approved = (await authorize({ authenticationId, amount: 90_000 })).body.data;
    expect(await threeDSOf(program, cardId, approved.transId)).toBe("authenticated");
  });

  it.each([
    ["amount_exceeded", {}, { amount: 5_000 }],
    ["authenticated", {}, { amount: 4_999 }],
    [
      "authenticated",
      { srcAmount: 100, srcCurrency: "978" },
      { amount: 5_100, srcAmount: 100, srcCurrency: "978" },
    ],
    [
      "amount_exceeded",
      { srcAmount: 100, srcCurrency: "978" },
      { amount: 1, srcAmount: 101, srcCurrency: "978" },
    ],
    ["other_merchant", {}, { merchantName: "Other Shop" }],
    ["authenticated", {}, { merchantName: "WEB SHOP*ORDER 7" }],
    ["other_merchant", { merchantId: "M-1" }, { merchantId: "M-2" }],
    ["authenticated", { merchantId: "M-1" }, { merchantId: "M-1", merchantName: "Other name" }],
    ["exempted", { exemptions: ["recurring"] }, {}],
  ])("is %s, of %o by %o", async (expected, authenticated, purchase) => {
    const { program, cardId, request, view, authorize } = await given();
    const { authenticationId } = await request(cardId, authenticated);
    const { transId, approved } = (await authorize({ authenticationId, ...purchase })).body.data;
    expect(approved).toBe(true);
    expect(await threeDSOf(program, cardId, transId)).toBe(expected);
    const isTaken = ["authenticated", "exempted"].includes(expected);
    expect((await view(authenticationId)).authorizationId !== undefined).toBe(isTaken);
  });

  it("is failed for a state that authenticates nothing, and not_present without one", async () => {
    const { program, cardId, request, putRules, authorize } = await given();
    await putRules({ rules: [{ when: { amountUpTo: 10 }, then: "decline" }], otherwise: "challenge" });
    for (const amount of [5, 4_999]) {
      const { authenticationId } = await request(cardId, { amount });
      const { transId } = (await authorize({ authenticationId, amount })).body.data;
      expect(await threeDSOf(program, cardId, transId)).toBe("failed");
    }
    const { transId } = (await authorize({ terminalId: "T-1" })).body.data;
    expect(await threeDSOf(program, cardId, transId)).toBe("not_present");
  });

  it("is expired after 90 days", async () => {
    const { program, cardId, request, authorize } = await given();
    const { authenticationId } = await request(cardId);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 90 * days });
    const { transId } = (await authorize({ authenticationId })).body.data;
    expect(await threeDSOf(program, cardId, transId)).toBe("expired");
  });

  it("is not found for another Card's, or for none", async () => {
    const { cardId, request, authorize } = await given();
    const other = await given();
    const { authenticationId } = await request(cardId);
    expect((await authorizeOn(other.program, other.cardId, { authenticationId })).status).toBe(404);
    const unknown = "ath_0000000000000000000000NB0D";
    expect((await authorize({ authenticationId: unknown })).status).toBe(404);
  });

  it("keeps it through increments, whatever they add up to", async () => {
    const { program, cardId, request, view, authorize } = await given();
    const { authenticationId } = await request(cardId);
    const { authorizationId } = (await authorize({ authenticationId })).body.data;
    const more = await program.call("POST /authorizations/{authorizationId}/increment", {
      path: { authorizationId },
      body: { amount: 10_000 },
    });
    expect(more.body.data.approved).toBe(true);
    expect((await view(authenticationId)).authorizationId).toBe(authorizationId);
  });

  it("costs one read more in the same round, and one without costs nothing more", async () => {
    const { cardId, request, authorize } = await given();
    await authorize();
    const { authenticationId } = await request(cardId);
    const [without, named] = [
      await measure(() => authorize({ amount: 1 })),
      await measure(() => authorize({ amount: 1, authenticationId })),
    ];
    expect(without.cost.calls).toEqual(["TransactWriteItems"]);
    expect(named.cost.calls).toEqual(["GetItem", "TransactWriteItems"]);
  });

  it("that the receiver is asked about has it meanwhile, and gives it back if it is declined", async () => {
    const { program, cardId, request, view, authorize } = await given();
    const open = heldBack();
    const receiver = await givenReceiver(program.programId, open.answer);
    const { authenticationId } = await request(cardId);
    const asked = authorize({ authenticationId });
    await open.asked;
    expect(receiver.questions).toMatchObject([{ verification: { threeDS: "authenticated" } }]);
    expect((await view(authenticationId)).authorizationId).toBeDefined();
    const second = authorize({ authenticationId, amount: 1 });
    await vi.waitFor(() => expect(receiver.questions).toHaveLength(2));
    expect(receiver.questions).toMatchObject([{}, { verification: { threeDS: "reused" } }]);
    open.reply(decline);
    expect((await second).body.data.approved).toBe(false);
    const declined = (await asked).body.data;
    expect(declined).toMatchObject({ approved: false, declineReason: "RECEIVER_DECLINED" });
    expect(await threeDSOf(program, cardId, declined.transId)).toBe("authenticated");
    expect((await view(authenticationId)).authorizationId).toBeUndefined();
  });
});
