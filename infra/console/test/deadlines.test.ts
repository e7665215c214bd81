import { expect, test } from "vitest";
import { clearing } from "../../../shared/deposits/expected.ts";
import { deadlinePut } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenNetwork } from "../../../test/harness/given-network.ts";
import type { Links, Table } from "../page.ts";
import { givenConsole, sectionOf } from "./given-console.ts";

const given = givenConsole();

test("deadlines are read page by page, the earliest first, each once, and of one owner alone", async () => {
  const [owner, other] = [newId("program"), newId("program")];
  const start = Date.parse("2030-01-01T00:00:00Z");
  for (let index = 0; index < 120; index += 1) {
    // Three at each time: their ids distinguish them.
    const dueAt = new Date(start + Math.floor(index / 3) * 1_000);
    const ownerId = index % 6 === 5 ? other : owner;
    const deadline = clearing.at({ ownerId, deadlineId: newId("deposit"), dueAt });
    await transact([deadlinePut(deadline)]);
  }
  const rows: string[] = [];
  let pages = 0;
  for (let next: string | undefined = `/console/deadlines?ownerId=${owner}`; next !== undefined; pages += 1) {
    const table: Table = sectionOf(await given.page(next), "table");
    rows.push(...table.rows.map((row) => JSON.stringify(row)));
    next = table.more?.[0]?.href;
  }
  expect(rows).toHaveLength(100);
  expect(new Set(rows).size).toBe(100);
  // The last of all is another owner's: only a third page finds that nothing follows.
  expect(pages).toBe(3);
  const times = rows.map((row) => /"time":"([^"]+)"/.exec(row)?.[1] ?? "");
  expect(times).toEqual(times.toSorted());
});

test("a Program's page leads to its open holds, the first to expire first, and no others", async () => {
  const { programId, apply } = await givenNetwork({ availableMinor: 100_000 });
  for (let index = 0; index < 60; index += 1) {
    await apply({ kind: "authorization", authorizationId: `A${index}`, amount: 100 });
    if (index % 2 === 1) await apply({ kind: "clearing", authorizationId: `A${index}`, amount: 100 });
  }
  const { links }: Links = sectionOf(await given.page(`/console/programs/${programId}`), "links");
  const href = links.find(({ text }) => text === "Open holds")?.href ?? "";
  const table: Table = sectionOf(await given.page(href), "table");
  const ids = table.rows.map((row) => Object(row.at(-1)).text);
  expect(ids).toEqual(Array.from({ length: 30 }, (_, index) => `A${2 * index}`));
});
