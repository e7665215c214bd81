import { describe, expect, it, vi } from "vitest";
import { renderDeposit } from "../../../shared/webhook/render-deposit.ts";
import { renderHold } from "../../../shared/webhook/render-hold.ts";
import { renderSettlement } from "../../../shared/webhook/render-settlement.ts";
import { atmFee, depositNotice, holdNotice, purchase, settlementNotice, transIdSc } from "./notices.ts";

// What is drawn at random has its least value here; everything else of the bytes is as customers get them.
vi.mock("../../../shared/id.ts", async (importOriginal) => ({
  ...(await importOriginal<typeof import("../../../shared/id.ts")>()),
  randomInteger: (minimum: number) => minimum,
}));

const withdrawal = { ...purchase, transType: 36, description: "Foreign Cash Withdrawal" } as const;

describe("the bytes of each kind of notification", () => {
  it.each([
    ["hold", () => renderHold(holdNotice())],
    ["settlement", () => renderSettlement(settlementNotice())],
    ["atm-fee", () => renderSettlement(settlementNotice(atmFee))],
    ["atm-withdrawal", () => renderSettlement(settlementNotice(withdrawal, transIdSc))],
    ["deposit-pending", () => renderDeposit(depositNotice())],
    ["deposit-cleared", () => renderDeposit(depositNotice({ isCleared: true, original: transIdSc }))],
  ])("%s", async (name, render) => {
    await expect(render().body).toMatchFileSnapshot(`golden/${name}.golden`);
  });
});
