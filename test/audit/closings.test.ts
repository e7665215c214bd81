import { expect, test } from "vitest";
import { keepClosing } from "../../shared/books/closing.ts";
import { findFaults } from "../harness/audit-books.ts";
import { givenProgram, givenWallet } from "../harness/given-cards.ts";

test("the audit adds up the contra accounts at the end of each day that was read", async () => {
  const program = await givenProgram();
  await givenWallet(program, 700);
  const { programId } = program;
  const tomorrow = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString();
  const day = { timeZone: "Etc/UTC", from: "2026-01-01T00:00:00.000Z" };
  const right = { ...day, date: "2098-01-01", until: tomorrow, contraMinor: { bank_funding: -700 } };
  await keepClosing(programId, right);
  expect(await findFaults()).toEqual([]);
  const wrong = { ...day, date: "2020-01-01", until: "2020-01-02T00:00:00.000Z" };
  await keepClosing(programId, { ...wrong, contraMinor: { suspense: 5 } });
  expect(await findFaults()).toEqual([
    `${programId}: suspense closed 2020-01-01 with 5, but with 0 in the journal.`,
  ]);
});
