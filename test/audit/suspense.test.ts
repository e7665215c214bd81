import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { handler as processor } from "../../functions/processor-events/handler.ts";
import { auditStore } from "../../infra/commands/audit/audit-store.ts";
import { JournalFile } from "../../infra/commands/audit/journal-file.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { newId } from "../../shared/platform/id.ts";
import { issuingKey } from "../../shared/platform/table/keys.ts";
import { overwrite } from "../harness/given-cards.ts";
import { givenStoredCard, givenStoredProgram } from "../harness/given-stored.ts";

async function audit() {
  const directory = mkdtempSync(path.join(tmpdir(), "audit-"));
  const journal = new JournalFile(path.join(directory, "audit.journal"));
  const result = await auditStore({ journal, onProgress: () => undefined });
  await journal.end();
  rmSync(directory, { recursive: true });
  return result;
}

test("the audit compares the suspense account with its open deposits", async () => {
  const programId = await givenStoredProgram();
  const accountId = await givenStoredCard(programId, CardStatus.closed);
  const depositId = newId("deposit");
  const details = { accountType: 1, accountId, amount: 45, channel: "bank", depositId };
  await processor({ programId, eventId: "one", kind: "deposit_cleared", ...details });
  const sound = await audit();
  expect(sound.faults).toEqual([]);
  expect(sound.trialBalance.lines()).toContain(`${programId}  suspense  45`);
  await overwrite(issuingKey.suspense(programId, depositId), { amountMinor: 44 });
  expect((await audit()).faults).toEqual([
    `${programId}: the suspense account is 45, but its open deposits sum to 44.`,
  ]);
});
