import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { authorizationList } from "../../../shared/authorizations/holds/history.ts";
import { compactOldChanges } from "../../../shared/lists/compaction.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { dateAt } from "../../../shared/platform/calendar.ts";
import { sumVolumes } from "../../../shared/reports/volumes.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { randomFrom } from "../../harness/random.ts";
import { livePlatform } from "../ledger/platform-life.ts";
import { pass } from "./given-reports.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2081, 9, 24, 15) }));
afterEach(() => void vi.useRealTimers());

interface Listed {
  readonly dateCreated: string;
  readonly mcc?: string;
  readonly transStatus: number;
  readonly type: "DR" | "CR";
  readonly amount: number;
  readonly isAggregate: boolean;
}

async function listed(program: GivenProgram): Promise<Listed[]> {
  const { body } = await program.call("GET /cards/transactions", { query: { limit: "200" } });
  expect(body.total).toBeLessThan(200);
  return body.items.filter(({ isAggregate }: Listed) => !isAggregate);
}

const sumOf = (items: readonly Listed[]) => {
  const amountOf = (type: string) =>
    items.filter((item) => item.type === type).reduce((sum, { amount }) => sum + amount, 0);
  return { count: items.length, debitAmount: amountOf("DR"), creditAmount: amountOf("CR") };
};

interface Authorization {
  readonly dateCreated: string;
  readonly merchant: { readonly mcc?: string };
  readonly status: string;
  readonly requestedAmount: number;
  readonly clearedAmount: number;
}

const authorized = (items: readonly Authorization[]) => ({
  count: items.length,
  requestedAmount: items.reduce((sum, { requestedAmount }) => sum + requestedAmount, 0),
  clearedAmount: items.reduce((sum, { clearedAmount }) => sum + clearedAmount, 0),
});

async function givenTraffic() {
  const program = await givenProgram({ settings: { timeZone: "America/New_York" } });
  const { cardId } = await givenCard(program);
  const path = { cardId };
  await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 90_000 } });
  await livePlatform(program, randomFrom(81), 50, 3 * 3_600_000);
  for (const body of [
    { amount: 500, mcc: "5812" },
    { amount: 700, mcc: "5411" },
    { amount: 900, mcc: "5812" },
    { amount: 999_999 },
  ]) {
    await program.call("POST /cards/{cardId}/authorizations", { path, body });
    await program.call("POST /cards/{cardId}/force-post", { path, body });
    pass(9 * 3_600_000);
  }
  const view = async (query: Record<string, string> = {}) =>
    program.call("GET /volumes", { query: { from: "2081-10-01", to: "2082-01-01", ...query } });
  return { program, view };
}

describe("volumes", () => {
  it("add up to their total, and to the list, by any groups, compacted or not", async () => {
    const { program, view } = await givenTraffic();
    const all = await listed(program);
    const check = async (groupBy: string) => {
      const { status, body } = await view({ groupBy });
      expect(status, JSON.stringify(body)).toBe(200);
      const { rows, total, ...rest } = body.data;
      expect(rest).toEqual({
        ...{ from: "2081-10-01T04:00:00.000Z", to: new Date().toISOString(), currency: 0 },
        ...{ timeZone: "America/New_York", asOf: new Date().toISOString() },
      });
      expect(total).toEqual(sumOf(all));
      const names = groupBy.split(",");
      const keyed = Map.groupBy(all, ({ dateCreated, mcc = null, transStatus: status }) => {
        const day = dateAt(Date.parse(dateCreated), "America/New_York");
        const whole: Record<string, unknown> = { day, mcc, status };
        return JSON.stringify(names.map((name) => whole[name]));
      });
      const found = rows.map((row: Record<string, unknown>) => {
        const { count, debitAmount, creditAmount } = row;
        return [JSON.stringify(names.map((name) => row[name])), { count, debitAmount, creditAmount }];
      });
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries([...keyed].map(([key, items]) => [key, sumOf(items)])),
      );
      expect(found).toHaveLength(keyed.size);
      expect(found.length).toBeGreaterThan(1);
      const days = rows.map(({ day }: { day?: string }) => day);
      if (groupBy.startsWith("day")) expect(days).toEqual(days.toSorted());
      return rows;
    };
    const checkAll = async () => {
      const found = [];
      for (const groupBy of ["day", "mcc", "status", "day,mcc", "day,mcc,status"])
        found.push(await check(groupBy));
      return found;
    };
    const before = await checkAll();
    pass(31 * 86_400_000);
    const list = { programId: program.programId, kind: transactionList };
    await compactOldChanges(list);
    expect((await readManifest(list)).segments).not.toEqual([]);
    expect(await checkAll()).toEqual(before);
  }, 60_000);

  it("of authorizations add up to their total, and to their list, by any groups, compacted or not", async () => {
    const { program, view } = await givenTraffic();
    const { body: whole } = await program.call("GET /authorizations", { query: { limit: "200" } });
    expect(whole.total).toBe(whole.items.length);
    const all = whole.items as Authorization[];
    const check = async (groupBy: string) => {
      const { status, body } = await view({ of: "authorizations", groupBy });
      expect(status, JSON.stringify(body)).toBe(200);
      const { rows, total } = body.data;
      const names = groupBy.split(",");
      const expected = Map.groupBy(all, (item) => {
        const day = dateAt(Date.parse(item.dateCreated), "America/New_York");
        const each: Record<string, unknown> = { day, mcc: item.merchant.mcc ?? null, status: item.status };
        return JSON.stringify(names.map((name) => each[name]));
      });
      const found = (rows as Record<string, unknown>[]).map((row) => {
        const { count, requestedAmount, clearedAmount } = row;
        return [JSON.stringify(names.map((name) => row[name])), { count, requestedAmount, clearedAmount }];
      });
      expect(Object.fromEntries(found)).toEqual(
        Object.fromEntries([...expected].map(([key, items]) => [key, authorized(items)])),
      );
      expect(total).toEqual(authorized(all));
      expect(Object.keys(rows[0]).toSorted()).toEqual(
        [...names, "count", "requestedAmount", "clearedAmount"].toSorted(),
      );
      return rows;
    };
    const groups = ["day", "mcc", "status", "day,mcc,status"];
    const before = [];
    for (const groupBy of groups) before.push(await check(groupBy));
    expect(all.map(({ status }) => status)).toEqual(
      expect.arrayContaining(["cleared", "declined", "pending"]),
    );
    pass(31 * 86_400_000);
    const list = { programId: program.programId, kind: authorizationList };
    await compactOldChanges(list);
    expect((await readManifest(list)).segments).not.toEqual([]);
    const after = [];
    for (const groupBy of groups) after.push(await check(groupBy));
    expect(after).toEqual(before);
    const groupBy = "day,mcc,status";
    const { body: page } = await view({ of: "authorizations", groupBy, format: "html" });
    expect(page).toContain("Requested");
    expect(page.match(/<svg/g)).toHaveLength(3);
    expect(page).not.toMatch(/<script|NaN|undefined|Debits/);
  }, 60_000);

  it("are of the span: its beginning is included, its end is not", async () => {
    const { program, view } = await givenTraffic();
    const all = (await listed(program)).toSorted((a, b) => (a.dateCreated < b.dateCreated ? -1 : 1));
    const middle = all[Math.floor(all.length / 2)]?.dateCreated ?? "";
    const { body: before } = await view({ to: middle });
    const { body: after } = await view({ from: middle });
    expect(after.data.total.count).toBe(all.filter(({ dateCreated }) => dateCreated >= middle).length);
    expect(before.data.total.count + after.data.total.count).toBe(all.length);
  }, 30_000);

  it("of more transactions than a request takes are none", async () => {
    const { program, view } = await givenTraffic();
    const { count } = (await view()).body.data.total;
    const scope = { programId: program.programId, from: "2081-01-01", to: "2082-01-01" };
    const of = { ...scope, timeZone: "Etc/UTC", of: "transactions" as const, groupBy: ["day"] as const };
    const { length: rows } = (await sumVolumes(of))?.rows ?? [];
    expect((await sumVolumes(of, { entries: count, rows }))?.total.count).toBe(count);
    expect(await sumVolumes(of, { entries: count - 1, rows })).toBeUndefined();
    expect(await sumVolumes(of, { entries: count, rows: rows - 1 })).toBeUndefined();
  }, 30_000);

  it("are a page with a plot for each group and all figures, without scripts", async () => {
    const { view } = await givenTraffic();
    const { rows, total } = (await view({ groupBy: "day,mcc" })).body.data;
    const { body } = await view({ groupBy: "day,mcc", format: "html" });
    expect(body.match(/<svg/g)).toHaveLength(2);
    expect(body).not.toMatch(/<script|NaN|undefined/);
    expect(body.match(/<tr>/g)).toHaveLength(rows.length + 2);
    expect(body).toContain(`${(total.debitAmount / 100).toFixed(2)} USD`);
  }, 30_000);
});
