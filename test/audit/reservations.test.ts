import { expect, test } from "vitest";
import { journalEntries, parseEntry } from "../../shared/ledger/journal-entry.ts";
import { newId } from "../../shared/platform/id.ts";
import { findFaults } from "../harness/audit-books.ts";
import { givenNetwork } from "../harness/given-network.ts";
import { approve, decline, givenReceiver, heldBack } from "../harness/given-receiver.ts";

test("the audit accepts a reservation for each question, and finds a second one for the same question", async () => {
  const { programId, cardId, apply, send, everything } = await givenNetwork();
  const receiver = await givenReceiver(programId, approve);
  const increment = { kind: "authorization_incremental", authorizationId: "A", amount: 500 } as const;
  await apply({ kind: "authorization", authorizationId: "A", amount: 3_000 });
  await apply(increment);
  receiver.answer(() => decline);
  await apply(increment);
  const open = heldBack();
  receiver.answer(open.answer);
  const answered = send(increment);
  await open.asked;
  expect(await findFaults()).toEqual([]);
  open.reply({ kind: "approve", amountMinor: 500 });
  await answered;
  receiver.answer(approve);
  await apply({ kind: "atm_withdrawal", amount: 200 });
  expect(await findFaults()).toEqual([]);

  const entries = (await everything()).flatMap((item) => parseEntry(item) ?? []);
  const reserved = entries.filter(({ kind, relatedId }) => kind === "hold_reserved" && relatedId === "A");
  expect(reserved).toHaveLength(4);
  const [first] = reserved;
  if (!first) throw new Error("Nothing was reserved.");
  const entryId = newId("journalEntry");
  await journalEntries.at(programId, cardId, entryId).createNow({ ...first, entryId });
  expect(await findFaults()).toContain(`${programId} A has 5 reservations for 4 questions.`);
});
