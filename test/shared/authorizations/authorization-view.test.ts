import { describe, expect, it } from "vitest";
import { toAuthorizationView, toEventView } from "../../../shared/authorizations/authorization-view.ts";
import { type Declined, declineMessage } from "../../../shared/authorizations/decline-message.ts";
import { emptyHold, increaseHold } from "../../../shared/authorizations/holds/hold-rules.ts";
import { Currency, TransactionStatus, TransactionType } from "../../../shared/contract/enums.ts";
import type { Transaction } from "../../../shared/transactions/transaction.ts";

const createdAt = "2026-11-01T00:00:00.000Z";
const card = { programId: "prg_1", cardId: "crd_1", cardholderId: "chd_1", currency: Currency.usd };
const open = { ...increaseHold(emptyHold(card, "A", createdAt), 100), version: 1 };
const declined = { what: "authorization", amountMinor: 5_000, currency: Currency.usd } as const;

describe("why an authorization was declined, in words", () => {
  it.each<[Omit<Declined, keyof typeof declined>, string]>([
    [{ reason: "CARD_CLOSED" }, "the Card was closed"],
    [{ reason: "INSUFFICIENT_FUNDS" }, "the Card did not have the amount available"],
    [{ reason: "INSUFFICIENT_FUNDS", refusal: { availableMinor: 7 } }, "the Card had 0.07 USD available"],
    [
      { reason: "SPEND_LIMIT", refusal: { by: "amount", limit: 1_000, used: 250, window: "day" } },
      "the Card's spend limit allows 10.00 USD a day, of which 2.50 USD were used",
    ],
    [
      {
        reason: "CONTROL_DECLINED",
        controlId: "ctl_1",
        refusal: { by: "count", limit: 1, used: 1, window: "week" },
      },
      "the spend control ctl_1 allows 1 authorization a week, of which 1 were made",
    ],
    [
      {
        reason: "CONTROL_DECLINED",
        controlId: "ctl_1",
        refusal: { by: "count", limit: 2, used: 2, window: "PT1H" },
      },
      "the spend control ctl_1 allows 2 authorizations in PT1H, of which 2 were made",
    ],
    [
      { reason: "CONTROL_DECLINED", controlId: "ctl_1", refusal: { by: "authentication" } },
      "the spend control ctl_1 requires an authentication by 3-D Secure",
    ],
    [
      { reason: "CONTROL_DECLINED", controlId: "ctl_1", refusal: { by: "singleUse" } },
      "the spend control ctl_1 allows a single use, which was made before",
    ],
    [{ reason: "CONTROL_DECLINED", controlId: "ctl_1" }, "the spend control ctl_1 does not allow it"],
  ])("says %j", (why, because) => {
    expect(declineMessage({ ...declined, ...why })).toBe(
      `The authorization of 50.00 USD was declined: ${because}.`,
    );
    expect(declineMessage({ ...declined, what: "increment", merchantName: "Shop", ...why })).toBe(
      `The increment of 50.00 USD at Shop was declined: ${because}.`,
    );
  });
});

describe("an authorization as callers see it", () => {
  it("has what the merchant billed, and its expiry while it is open", () => {
    const merchant = { merchantName: "Shop", srcAmount: 90, srcCurrency: "978" };
    expect(toAuthorizationView({ ...open, merchant })).toMatchObject({
      ...{ merchantAmount: 90, merchantCurrency: "978", merchant: { name: "Shop" } },
      expiresAt: "2026-11-08T00:00:00.000Z",
    });
    const closed = toAuthorizationView({ ...open, closedBy: "reversed" });
    for (const name of ["merchantAmount", "merchantCurrency", "expiresAt", "declineReason"])
      expect(closed).not.toHaveProperty(name);
  });

  it("says why it was declined as long as it is shown as that", () => {
    const decline = { amountMinor: 5_000, reason: "CONTROL_DECLINED", controlId: "ctl_1" } as const;
    const refusal = { by: "wallet" } as const;
    const hold = { ...emptyHold(card, "A", createdAt), version: 1, closedBy: "declined" } as const;
    const merchant = { merchantName: "Shop" };
    const verification = { wallet: "apple_pay" } as const;
    const view = { ...hold, merchant, verification, decline: { ...decline, refusal } };
    expect(toAuthorizationView(view)).toMatchObject({
      ...{ status: "declined", declineReason: "CONTROL_DECLINED", controlId: "ctl_1" },
      declineMessage:
        "The authorization of 50.00 USD at Shop was declined: the spend control ctl_1 does not allow the digital wallet apple_pay.",
    });
    expect(toAuthorizationView(view, "pending")).not.toHaveProperty("declineReason");
  });
});

describe("an event of an authorization", () => {
  const transaction = (fields: Partial<Transaction>): Transaction => ({
    ...{ ...card, transId: "txn_01J9ZC3P2V8Q4N6T0B5W7XKD1M", type: "DR", amountMinor: 5_000, createdAt },
    ...{ transType: TransactionType.authorization, transStatus: TransactionStatus.declined },
    ...{ referenceCode: "", description: "", transDate: createdAt, ...fields },
  });

  it.each<[string, string]>([
    ["authorization", "authorization"],
    ["authorization_incremental", "increment"],
  ])("of kind %s says why it was declined", (kind, what) => {
    const why = { declineReason: "CONTROL_DECLINED", controlId: "ctl_1", merchantName: "Shop" } as const;
    const event = { kind, entryMode: "chip", verification: { wallet: "apple_pay" } } as const;
    const because = (refusal: object) =>
      toEventView(transaction({ ...why, refusal, event })).declineMessage?.replace(/.*ctl_1 /, "");
    expect(toEventView(transaction({ ...why, event }))).toMatchObject({
      ...{ outcome: "declined", declineReason: "CONTROL_DECLINED", controlId: "ctl_1" },
      declineMessage: expect.stringMatching(new RegExp(`^The ${what} of 50.00 USD at Shop was declined`)),
    });
    expect(because({ by: "entryMode" })).toBe("does not allow the entry mode chip.");
    expect(because({ by: "wallet" })).toBe("does not allow the digital wallet apple_pay.");
  });

  it("of which nothing was kept is a reversal, and says no more than its reason", () => {
    const view = toEventView(transaction({ declineReason: "CONTROL_DECLINED", refusal: { by: "wallet" } }));
    expect(view).toMatchObject({ type: "reversal", amount: 5_000 });
    expect(view.declineMessage).toContain("needs the digital wallet, which was not sent");
  });
});
