import { expect, test } from "vitest";
import { usageParts } from "../../shared/controls/usage.ts";
import { newId } from "../../shared/platform/id.ts";
import { findFaults } from "../harness/audit-books.ts";
import { givenSplitProgram } from "../harness/given-split-program.ts";

test("the audit adds up the parts of a split usage, and finds a cent too much and a lost part", async () => {
  const { programId, controlId, authorize, split, send, forget } = await givenSplitProgram({
    amount: 64_000,
    window: "PT10M",
  });
  const authorizationId = newId("hold");
  await authorize(1_000, authorizationId);
  await split();
  for (let n = 0; n < 4; n += 1) {
    forget();
    await authorize(100);
  }
  await send({ kind: "authorization_reversal", authorizationId, amount: 300 });
  expect(await findFaults()).toEqual([]);
  const first = usageParts.at(programId, 0);
  const { version = 0, controls = {} } = (await first.get()) ?? {};
  const { cells = {}, ...usage } = controls[controlId] ?? {};
  const more = Object.entries(cells).map(([since, all]) => [
    since,
    all.map((cell) => ({ ...cell, amount: cell.amount + 1 })),
  ]);
  const changed = { ...controls, [controlId]: { ...usage, cells: Object.fromEntries(more) } };
  await first.updateNow({ set: { version: version + 1, controls: changed } });
  expect(await findFaults()).toEqual([
    `${programId}: ${controlId} has counted 1101 in 5, its transactions 1100 in 5.`,
  ]);
  await first.updateNow({ set: { version: version + 2, controls } });
  await usageParts.at(programId, 95).deleteNow();
  expect(await findFaults()).toContain(`${programId}: the usage of its controls has 95 of 96 parts.`);
});
