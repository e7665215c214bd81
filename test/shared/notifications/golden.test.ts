import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DepositStatus } from "../../../shared/contract/enums.ts";
import { renderDeposit } from "../../../shared/deposits/card-deposit.ts";
import { renderHold } from "../../../shared/notifications/hold-notification.ts";
import { renderSettlement } from "../../../shared/notifications/settlement-notification.ts";
import { atmFee, depositFacts, holdFacts, purchase, settlementFacts, transIdSc } from "./facts.ts";

// Random values are fixed; all other bytes are as customers get them.
beforeAll(() => {
  vi.spyOn(crypto, "randomInt").mockImplementation((minimum: number) => minimum);
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const withdrawal = { ...purchase, transType: 36, description: "Foreign Cash Withdrawal" } as const;

describe("the bytes of each kind of notification", () => {
  it.each([
    ["hold", () => renderHold(holdFacts())],
    ["settlement", () => renderSettlement(settlementFacts())],
    ["atm-fee", () => renderSettlement(settlementFacts(atmFee))],
    ["atm-withdrawal", () => renderSettlement(settlementFacts(withdrawal, transIdSc))],
    ["deposit-pending", () => renderDeposit(depositFacts())],
    [
      "deposit-cleared",
      () => renderDeposit(depositFacts({ status: DepositStatus.cleared, original: transIdSc })),
    ],
    [
      "deposit-returned",
      () => renderDeposit(depositFacts({ status: DepositStatus.returned, original: transIdSc })),
    ],
  ])("%s", async (name, render) => {
    await expect(render().body).toMatchFileSnapshot(`golden/${name}.golden`);
  });
});
