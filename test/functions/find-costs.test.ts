import { afterEach, expect, test, vi } from "vitest";
import { cardholderList, emailKey, phoneKey } from "../../shared/cardholders/cardholder.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { disputeList } from "../../shared/disputes/dispute.ts";
import { compactPast } from "../../shared/lists/compaction.ts";
import { type ListKind, listChange, toEntry } from "../../shared/lists/entry.ts";
import { searchedRecords } from "../../shared/lists/list-page.ts";
import { earliestChangeId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
} from "../harness/given-cards.ts";
import { measure } from "../harness/measure.ts";
import { person } from "../harness/person.ts";

afterEach(() => void vi.useRealTimers());

const atOnce = 2_500;
const since = Date.parse("2026-01-01T00:00:00.000Z");

/** What the list knows of so many, without their records: a second apart. */
async function fill(programId: string, kind: ListKind, count: number, toRecord: (index: number) => object) {
  for (let begin = 0; begin < count; begin += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, count - begin) }, (_, at) => begin + at);
    const entries = indexes.map((index) => {
      const createdAt = new Date(since + index * 1000).toISOString();
      return toEntry(kind, `old_${String(index).padStart(8, "0")}`, { ...toRecord(index), createdAt });
    });
    await transact([listChange({ programId, kind }, entries)]);
  }
}

async function compact(programId: string, kind: ListKind): Promise<void> {
  const at = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: at + 3_600_000 });
  await compactPast({ programId, kind }, earliestChangeId(new Date(at + 60_000)));
  vi.useRealTimers();
}

async function unitsOf(program: GivenProgram, route: string, query: Record<string, string>) {
  const { result, cost } = await measure(() => program.call(`GET ${route}` as never, { query } as never));
  const { status, body } = result as { status: number; body: { total: number } };
  expect([query, status, body.total]).toEqual([query, 200, 1]);
  return cost.readUnits;
}

test("among thousands, one is found by name, email, phone or last four within the units of a page", async () => {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program, {
    lastName: "Zyxel",
    email: "z@example.com",
  } as never);
  const card = await givenCard(program, { cardholderId });
  const lastFour = String(card.maskedCardNumber).slice(-4);
  await fill(programId, cardholderList, 5_000, (index) => ({
    ...{ status: 1, firstName: "Ada", lastName: `Lovelace ${index}` },
    ...{ email: `${index}@example.com`, phone: `+44${index}` },
  }));
  await fill(programId, cardList, 5_000, (index) => ({
    ...{ issuerCardStatus: 1, cardholderId: `chd_${index}`, cardHolderLastName: "Lovelace", cardForm: 0 },
    lastFour: lastFour === "1234" ? "4321" : "1234",
  }));
  for (const kind of [cardholderList, cardList]) await compact(programId, kind);
  expect([emailKey("a"), phoneKey("1")].map(({ length }) => length)).toEqual([16, 16]);
  const queries: Record<string, string>[] = [
    { name: "zyx" },
    { email: "Z@example.com" },
    { name: `${person.firstName} zyx` },
  ];
  for (const query of queries) expect(await unitsOf(program, "/cardholders", query)).toBeLessThan(60);
  expect(await unitsOf(program, "/cards", { lastFour })).toBeLessThan(60);
  expect(await unitsOf(program, "/cards", { name: "zyx" })).toBeLessThan(120);
}, 120_000);

test("what no list knows is searched in so many records, and of more 422 says how many", async () => {
  const program = await givenProgram();
  await fill(program.programId, disputeList, searchedRecords + 1, () => ({
    status: "submitted",
    amountMinor: 1,
  }));
  const query = { referenceCode: "R1" };
  const { status, body } = await program.call("GET /disputes", { query });
  expect([status, body.errors?.[0]]).toMatchObject([422, { path: "query.after", code: "too_many_records" }]);
  expect(body.errors?.[0]?.message).toContain(String(searchedRecords + 1));
  const after = String(since / 1000 + searchedRecords - 10);
  expect((await program.call("GET /disputes", { query: { ...query, after } })).status).toBe(200);
}, 120_000);

test("what is searched for is in no log and no error", async () => {
  const program = await givenProgram();
  const written: string[] = [];
  const keep = (text: unknown) => {
    written.push(String(text));
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(keep as never);
  vi.spyOn(process.stderr, "write").mockImplementation(keep as never);
  for (const level of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...all) => void keep(all.join(" ")));
  const secrets = { email: "sought-one@example.com", phone: "+491511999888", name: "Soughtname" };
  const answers: string[] = [];
  for (const more of [{}, { limit: "0" }, { unknown: "1" }, { orderBy: "nothing" }])
    for (const [name, value] of Object.entries(secrets)) {
      const { body } = await program.call("GET /cardholders", { query: { ...more, [name]: value } as never });
      answers.push(JSON.stringify(body));
    }
  vi.restoreAllMocks();
  for (const value of Object.values(secrets)) {
    expect(written.filter((text) => text.includes(value))).toEqual([]);
    expect(answers.filter((text) => text.includes(value))).toEqual([]);
  }
  expect(answers.some((text) => text.includes("VALIDATION_FAILED"))).toBe(true);
});
