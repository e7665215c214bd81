import { expect, test } from "vitest";
import { handler as processor } from "../../functions/processor-events/handler.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import { newId } from "../../shared/platform/id.ts";
import { auditBooks, findFaults } from "../harness/audit-books.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenStoredCard, givenStoredProgram } from "../harness/given-stored.ts";

test("the audit compares the suspense account with its open deposits", async () => {
  const programId = await givenStoredProgram();
  const accountId = await givenStoredCard(programId, CardStatus.closed);
  const depositId = newId("deposit");
  const details = { accountType: 1, accountId, amount: 45, channel: "bank", depositId };
  await processor({ programId, eventId: "one", kind: "deposit_cleared", ...details });
  const sound = await auditBooks();
  expect(sound.faults).toEqual([]);
  expect(sound.trialBalance.lines()).toContain(`${programId}  suspense  45`);
  await overwrite(suspenseItems.key(programId, depositId), { amountMinor: 44 });
  expect(await findFaults()).toEqual([
    `${programId}: the suspense account is 45, but its open deposits sum to 44.`,
  ]);
});
