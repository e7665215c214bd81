import { expect, test } from "vitest";
import { disputeKey } from "../../shared/platform/table/dispute-keys.ts";
import { givenPurchase } from "../functions/disputes/given-dispute.ts";
import { findFaults } from "../harness/audit-books.ts";
import { overwrite } from "../harness/given-cards.ts";

test("the audit compares each dispute's liability with its journal entries", async () => {
  const { create, program } = await givenPurchase();
  const created = await create({ amount: 1_000 });
  const { disputeId } = created.body.data;
  const path = { disputeId };
  await program.call("PUT /disputes/{disputeId}", { path, body: { amount: 900 } });
  await program.call("PUT /disputes/{disputeId}", { path, body: { amount: 1_200 } });
  await program.call("POST /disputes/{disputeId}/submit", { path });
  const { status } = await program.call("POST /disputes/{disputeId}/outcome", {
    path,
    body: { status: "won" },
  });
  expect(status).toBe(200);
  expect(await findFaults()).toEqual([]);
  const liability = { original: 1_200, recovered: 1_100, writtenOff: 100, denied: 0, remaining: 0 };
  await overwrite(disputeKey.dispute(program.programId, disputeId), { liability });
  expect(await findFaults()).toEqual([
    `${program.programId} ${disputeId}: recovered is 1100, but 1200 in the journal.`,
  ]);
});
