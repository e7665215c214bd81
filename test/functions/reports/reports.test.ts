import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { makeReport } from "../../../shared/reports/make-report.ts";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { nextMessage } from "../../harness/given-jobs.ts";
import { randomFrom } from "../../harness/random.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { livePlatform } from "../ledger/platform-life.ts";
import { pass, reportsOf, rowsOf, smallest } from "./given-reports.ts";

let year = 2061;
beforeEach(() => {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 9, 20, 15) });
});
afterEach(() => void vi.useRealTimers());

async function givenLife(steps = 30, timeZone = "Europe/Berlin") {
  const program = await givenProgram({ settings: { timeZone } });
  const from = new Date(Date.now() - 1).toISOString();
  await livePlatform(program, randomFrom(year), steps);
  pass(1_000);
  const to = new Date().toISOString();
  const listed = async (route: string, query = {}) => {
    const { body } = await program.call(route as "GET /cards", { query: { limit: "200", ...query } });
    return body.items as Record<string, unknown>[];
  };
  return { program, from, to, listed, reports: reportsOf(program) };
}

describe("the rows of a report", () => {
  it("are the items of the list, oldest first, without the aggregate line", async () => {
    const { program, from, to, listed, reports } = await givenLife();
    const { cardId } = (await listed("GET /cards"))[0] as { cardId: string };
    await program.call("POST /cards/{cardId}/authorizations", { path: { cardId }, body: { amount: 1 } });
    await program.call("POST /cards/{cardId}/fees", { path: { cardId }, body: { feeType: 2, amount: 5 } });
    for (const reason of ["lost", "stolen"])
      await program.call("POST /cards/{cardId}/replace", { path: { cardId }, body: { reason } });
    const later = new Date(Date.now() + 1).toISOString();
    pass(2);
    for (const [kind, path, id, at] of [
      ["transactions", "/cards/transactions", "transId", "dateCreated"],
      ["fees", "/cards/fees", "feeId", "dateCreated"],
      ["cards", "/cards", "cardId", "createdDatetime"],
      ["authorizations", "/authorizations", "authorizationId", "dateCreated"],
      ["account_updates", "/account-updates", "updateId", "dateCreated"],
    ] as const) {
      const all = (await listed(`GET ${path}`)).filter(({ isAggregate }) => !isAggregate);
      const { rows, text, ...made } = await reports.make({ kind, from, to: later });
      const order = (row: Record<string, unknown>) => `${row[at]} ${row[id]}`;
      expect(all.length, kind).toBeGreaterThan(1);
      expect(rowsOf(text)).toEqual(all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)));
      expect([rows, made.bytes, made.sha256]).toEqual([all.length, Buffer.from(text).length, sha256(text)]);
      expect(made.urlExpiresAt).toBe(new Date(Date.now() + 900_000).toISOString());
      expect(to <= made.to).toBe(true);
      const small = await reports.make({ kind, from, to: later }, smallest);
      expect(small.text).toBe(text);
      expect(small.sha256).toBe(made.sha256);
    }
  }, 60_000);

  it("are of the span: its beginning is included, its end is not", async () => {
    const { from, listed, reports, to } = await givenLife();
    const all = await listed("GET /cards/fees", { sort: "asc", orderBy: "dateCreated" });
    const times = all.map(({ dateCreated }) => String(dateCreated));
    const middle = times[Math.floor(times.length / 2)] as string;
    const halves = [
      await reports.make({ kind: "fees", from, to: middle }),
      await reports.make({ kind: "fees", from: middle, to }),
    ].map(({ text }) => rowsOf(text));
    expect(halves[1]?.[0]?.dateCreated).toBe(middle);
    expect(halves.flat()).toEqual(all);
  }, 60_000);

  it("are of one Card, or of a Cardholder's", async () => {
    const { program, from, to, listed, reports } = await givenLife();
    const [card] = (await listed("GET /cards")) as { cardId: string; cardholderId: string }[];
    const { cardId = "", cardholderId = "" } = card ?? {};
    let others = 0;
    for (const kind of ["transactions", "fees", "cards", "balances", "authorizations", "account_updates"]) {
      const whole = rowsOf((await reports.make({ kind, from, to })).text);
      const ofCard = rowsOf((await reports.make({ kind, from, to, cardId })).text);
      const ofHolder = rowsOf((await reports.make({ kind, from, to, cardholderId })).text);
      expect(ofCard).toEqual(whole.filter((row) => (row.cardId ?? row.accountId) === cardId));
      expect(ofHolder).toEqual(ofCard);
      others += whole.length - ofCard.length;
    }
    expect(others).toBeGreaterThan(3);
    const unused = (await givenCard(program)).cardId;
    const none = await reports.make({ kind: "fees", from, to, cardId: unused });
    expect([none.rows, none.bytes, none.text]).toEqual([0, 0, ""]);
  }, 60_000);

  it("are those that there were when it was asked for", async () => {
    const { program, from, to, reports } = await givenLife(10);
    const before = rowsOf((await reports.make({ kind: "cards", from, to })).text);
    const report = await reports.ask({ kind: "cards", from, to: `${year + 1}-01-01` });
    expect(report).toMatchObject({ to: new Date().toISOString(), asOf: report.to, status: "running" });
    pass(1);
    const [request] = await reports.requests();
    let left = request ? [request] : [];
    for (let count = 0; left[0] && count < 100; count += 1) {
      await givenCard(program);
      left = nextMessage(left[0], await makeReport(left[0], smallest));
    }
    expect(rowsOf(await reports.text(report.reportId))).toEqual(before);
  }, 60_000);

  it("are each once if two make it at once, and steps are killed and repeated", async () => {
    const { from, to, reports } = await givenLife();
    const whole = await reports.make({ kind: "transactions", from, to });
    const { reportId } = await reports.ask({ kind: "transactions", from, to });
    let left = await reports.requests();
    for (let count = 0; left.length > 0 && count < 500; count += 1) {
      // As one that is killed after it has written, before its message is sent.
      if (count % 2 === 1 && left[0]) await makeReport(left[0], smallest);
      const made = await Promise.all(
        [...left, ...left]
          .slice(0, 2)
          .map(async (event) => nextMessage(event, await makeReport(event, smallest))),
      );
      left = made.flat();
    }
    expect(await reports.view(reportId)).toMatchObject({ status: "done", sha256: whole.sha256 });
    expect(await reports.text(reportId)).toBe(whole.text);
  }, 60_000);
});

describe("CSV", () => {
  it("has a header, a cell for each field, and no formula", async () => {
    const program = await givenProgram();
    const reports = reportsOf(program);
    const { cardId } = await givenCard(program);
    await givenWallet(program);
    await program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId }, body: { amount: 10_000 } });
    for (const name of ["=1+1", 'Say "hi", all', "@home"])
      await program.call("POST /cards/{cardId}/force-post", {
        path: { cardId },
        body: { amount: 5, merchantName: name },
      });
    pass(1_000);
    const span = { from: `${year}-10-20`, to: `${year}-10-21` };
    const { text, rows } = await reports.make({ kind: "transactions", format: "csv", ...span });
    const lines = text.split("\r\n");
    expect(lines[0]).toMatch(/^transId,cardId,cardholderId,transType,.*,dateCreated,isAggregate$/);
    expect(lines.slice(1)).toHaveLength(rows + 1);
    expect(lines.at(-1)).toBe("");
    expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(text).toContain(",'=1+1,");
    expect(text).toContain(',"Say ""hi"", all",');
    expect(text).toContain(",'@home,");
    const { cardId: unused } = await givenCard(program);
    const empty = await reports.make({ kind: "fees", format: "csv", ...span, cardId: unused });
    expect([empty.rows, empty.text.split("\r\n").length]).toEqual([0, 2]);
  }, 60_000);
});

describe("the columns of a purchase", () => {
  it.each(["authorizations", "transactions"])("say what was verified of it: %s", async (kind) => {
    const program = await givenProgram({ settings: { threeDSecure: true } });
    const { cardId } = await givenCard(program);
    const path = { cardId };
    const post = async (what: string, body: object) =>
      (await program.call(`POST /cards/{cardId}/${what}` as never, { path, body } as never)).body.data;
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    await program.call("PUT /authentication-rules", { body: { rules: [], otherwise: "approve" } });
    await post("deposits", { amount: 10_000, pending: false });
    const { tokenId } = await post("token-requests", { wallet: "apple_pay" });
    const { authenticationId } = await post("authentications", { amount: 500, merchantName: "Shop" });
    const purchase = { amount: 500, merchantName: "Shop", cvc: "match", terminalId: "T7", tokenId };
    const { authorizationId } = await post("authorizations", { ...purchase, authenticationId });
    await program.call("POST /authorizations/{authorizationId}/clear", {
      ...{ path: { authorizationId }, body: {} },
    });
    pass(1_000);
    const span = { from: `${year}-10-20`, to: `${year}-10-21` };
    const reports = reportsOf(program);
    const json = rowsOf((await reports.make({ kind, ...span })).text);
    const { text } = await reports.make({ kind, format: "csv", ...span });
    const [head = "", ...rows] = text.trimEnd().split("\r\n");
    const names = head.split(",");
    const of = (row: string, name: string) => row.split(",")[names.indexOf(`verification.${name}`)];
    const bought = rows.filter((row) => row.includes(authorizationId) && row.includes(tokenId));
    expect(bought).toHaveLength(1);
    const shown = { cvc: "match", threeDS: "authenticated", wallet: "apple_pay", terminalId: "T7" };
    const named = { ...shown, tokenId, authenticationId, avs: "U", recurring: "false" };
    for (const [name, value] of Object.entries(named))
      expect([name, of(bought[0] ?? "", name)]).toEqual([name, value]);
    const inJson = json.find(
      ({ verification }) => (verification as { tokenId?: string })?.tokenId === tokenId,
    );
    expect(inJson?.verification).toMatchObject({ ...shown, tokenId, authenticationId });
    for (const name of Object.keys(inJson?.verification ?? {}))
      expect(names).toContain(`verification.${name}`);
    expect(names).toContain("verification.network.postalCode");
  });
});

async function nextCheck(programId: string, reportId: string): Promise<number> {
  const { dueAt } = await deadlines.at(programId, reportId).require();
  return Date.parse(dueAt.slice(0, 24));
}

describe("several reports", () => {
  it("of a kind are made one after the other, in order; of other kinds at once", async () => {
    const { from, to, reports } = await givenLife(5);
    const first = await reports.ask({ kind: "fees", from, to });
    const second = await reports.ask({ kind: "fees", from, to });
    const other = await reports.ask({ kind: "cards", from, to });
    const [one, two, three] = await reports.requests();
    const begun = one && (await makeReport(one, smallest));
    expect(begun).toBeDefined();
    expect(two && (await makeReport(two, smallest))).toBeUndefined();
    expect(three && (await makeReport(three, smallest))).toBeDefined();
    let left = nextMessage(one as never, begun);
    while (left[0]) left = nextMessage(left[0], await makeReport(left[0], smallest));
    expect((await reports.view(first.reportId)).status).toBe("done");
    expect((await reports.view(second.reportId)).status).toBe("running");
    await reports.work();
    expect((await reports.view(second.reportId)).status).toBe("done");
    expect((await reports.view(other.reportId)).status).toBe("running");
  }, 60_000);

  it("go on after one that has stopped, which has failed", async () => {
    const { from, to, reports } = await givenLife(5);
    const first = await reports.ask({ kind: "fees", from, to });
    const second = await reports.ask({ kind: "fees", from, to });
    const [one] = await reports.requests();
    const rest = nextMessage(one as never, await makeReport(one as never, smallest));
    pass(601_000);
    await sweepDeadlines();
    expect(await reports.view(first.reportId)).toMatchObject({ status: "failed" });
    await reports.work();
    expect((await reports.view(second.reportId)).status).toBe("done");
    expect(rest[0] && (await makeReport(rest[0], smallest))).toBeUndefined();
    expect((await reports.view(first.reportId)).url).toBeUndefined();
  }, 60_000);

  it("that no job takes fails after a day, asked for a few times; the next one is asked for", async () => {
    const { program, from, to, reports } = await givenLife(3);
    const first = await reports.ask({ kind: "fees", from, to });
    const second = await reports.ask({ kind: "fees", from, to });
    await reports.requests();
    let asked = 0;
    const begunAt = Date.now();
    for (let sweeps = 0; (await reports.view(first.reportId)).status === "running"; sweeps += 1) {
      expect(sweeps).toBeLessThan(30);
      // A sweep comes within ten minutes.
      vi.setSystemTime((await nextCheck(program.programId, first.reportId)) + 300_000);
      await sweepDeadlines();
      asked += (await reports.requests()).length;
    }
    const hours = (Date.now() - begunAt) / 3_600_000;
    // Six times for the first one, and for the next one by its end, by its own check, or by both.
    expect([hours > 20, hours < 24, asked === 7 || asked === 8]).toEqual([true, true, true]);
    expect(await reports.view(second.reportId)).toMatchObject({ status: "running" });
    // It is the next one's turn: it was asked for by the end of the first.
    pass(1_300_000);
    await sweepDeadlines();
    await reports.work();
    expect((await reports.view(second.reportId)).status).toBe("done");
  }, 120_000);

  it("are listed by kind and status, newest first", async () => {
    const { program, from, to, reports } = await givenLife(3);
    const made = await reports.make({ kind: "fees", from, to });
    pass(1);
    const open = await reports.ask({ kind: "cards", from, to });
    const list = async (query: object) => {
      const { body } = await program.call("GET /reports", { query: { ...query } });
      return body.items.map(({ reportId }: { reportId: string }) => reportId);
    };
    expect(await list({})).toEqual([open.reportId, made.reportId]);
    expect(await list({ status: "done" })).toEqual([made.reportId]);
    expect(await list({ kind: "cards" })).toEqual([open.reportId]);
    expect(await list({ scheduleId: "rps_0" })).toEqual([]);
  }, 60_000);
});

describe("balances", () => {
  it("chain from span to span, and are the statements' in whole months", async () => {
    const { program, reports } = await givenLife(60);
    // Some months more of life, the last of which is over.
    await livePlatform(program, randomFrom(year + 1), 60, 24 * 3_600_000);
    vi.setSystemTime(Date.UTC(year + 1, 2, 2));
    const months = Array.from({ length: 5 }, (_, index) => {
      const month = (at: number) => new Date(Date.UTC(year, 9 + at, 1)).toISOString().slice(0, 7);
      return { period: month(index), from: `${month(index)}-01`, to: `${month(index + 1)}-01` };
    });
    const closing = new Map<unknown, unknown>();
    let moved = 0;
    for (const { period, from, to } of months) {
      const { text } = await reports.make({ kind: "balances", from, to }, smallest);
      expect((await reports.make({ kind: "balances", from, to })).text).toBe(text);
      for (const row of rowsOf(text)) {
        const { accountId, openingBalance, credits, debits, closingBalance } = row as Record<string, number>;
        expect(openingBalance).toBe(closing.get(accountId) ?? 0);
        closing.set(accountId, closingBalance);
        moved += (credits ?? 0) + (debits ?? 0);
        const isCard = String(accountId).startsWith("crd_");
        const { body } = isCard
          ? await program.call("GET /cards/{cardId}/statements/{period}", {
              path: { cardId: String(accountId), period },
            })
          : await program.call("GET /wallets/{walletId}/statements/{period}", {
              path: { walletId: String(accountId), period },
            });
        expect([openingBalance, closingBalance]).toEqual([
          body.data.openingBalance,
          body.data.closingBalance,
        ]);
        const amounts = body.data.lines.map(({ amount }: { amount: number }) => amount);
        const sum = amounts.reduce((total: number, amount: number) => total + amount, 0);
        expect((credits ?? 0) - (debits ?? 0)).toBe(sum);
      }
    }
    expect(moved).toBeGreaterThan(0);
    expect(closing.size).toBeGreaterThan(4);
  }, 120_000);
});
