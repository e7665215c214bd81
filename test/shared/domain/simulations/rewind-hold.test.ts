import { expect, it } from "vitest";
import { Currency, TransactionStatus, TransactionType } from "../../../../shared/contract/enums.ts";
import { type Hold, noHold, outstandingMinor } from "../../../../shared/domain/holds/hold.ts";
import { rewindHold } from "../../../../shared/domain/simulations/rewind-hold.ts";

const from = new Date("2026-11-23T12:00:00.000Z");
const [earlier, later] = ["2026-11-23T11:00:00.000Z", "2026-11-23T13:00:00.000Z"];

/** 300 authorized and released before `from`; 100 settled after it. */
const settled: Hold = {
  ...noHold,
  programId: "prg_1",
  cardId: "crd_1",
  cardholderId: "chd_1",
  currency: Currency.usd,
  authorizationId: "auth-1",
  version: 3,
  decided: true,
  authorizedMinor: 300,
  releasedMinor: 300,
  clearedMinor: 100,
  closedBy: "cleared",
  merchant: {},
  createdAt: earlier,
};

const clearing = (releasedMinor: number) => ({
  transType: TransactionType.authorization_clearing,
  transStatus: TransactionStatus.completion,
  amountMinor: 100,
  releasedMinor,
  event: { kind: "clearing" as const, amount: 100, final: true },
  authorizationId: "auth-1",
});

it("an authorization that held nothing was open before the clearing that finished it", () => {
  const before = rewindHold({ ...settled, closedAt: later }, [clearing(0)], from);
  expect(before).toMatchObject({ closedBy: undefined, closedAt: undefined, clearedMinor: 0 });
});

it("an authorization that was finished at the start stays so, whatever is settled later", () => {
  const before = rewindHold({ ...settled, closedAt: earlier }, [clearing(0)], from);
  expect(before).toMatchObject({ closedBy: "cleared", closedAt: earlier, clearedMinor: 0 });
});

it("without the time, the clearing that released something finished the authorization", () => {
  const held = { ...settled, releasedMinor: 0 };
  expect(outstandingMinor(rewindHold(held, [clearing(300), clearing(0)], from))).toBe(300);
  expect(rewindHold(held, [clearing(0)], from).closedBy).toBe("cleared");
});
