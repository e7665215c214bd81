import { expect, it } from "vitest";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { newId } from "../../../shared/platform/id.ts";
import { clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { givenFiles } from "../files/given-files.ts";
import { givenNumber } from "../files/given-number.ts";

it("a clearing file settles what it posts, and the withdrawal that was posted before", async () => {
  const files = await givenFiles();
  const number = await givenNumber();
  await number.setProgram({ settlementFiles: true });
  const authorizationId = newId("hold");
  const { transId } = await number.apply({
    kind: "atm_withdrawal",
    authorizationId,
    amount: 1_000,
    feeAmount: 0,
  });
  const bought = await number.apply({ kind: "clearing", amount: 300 });
  expect([
    (await number.record(transId))?.transStatus,
    (await number.record(bought.transId))?.transStatus,
  ]).toEqual([2, 2]);
  await files.feed("clearing", clearingFileOf(newId("event").slice(-20), number.recordOf(1)));
  const types = (await number.records()).map(({ transType, transStatus }) => [transType, transStatus]);
  expect(types).toContainEqual([3, 3]);
  expect((await number.record(bought.transId))?.transStatus).toBe(2);
  // As a record of a file that names the withdrawal's authorization, with what was paid out.
  const { programId, cardId } = number;
  const common = { kind: "clearing", eventId: newId("event"), programId, cardId, final: true } as const;
  await applyEvent(cardChanges, { ...common, authorizationId, amount: 1_200 }, { isOfFile: true });
  expect((await number.record(transId))?.transStatus).toBe(3);
  expect(await number.balances()).toEqual([10_000 - 1_200 - 300 - 1_000, 0, 7_500]);
});
