import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { makeStatementFile } from "../../../shared/statements/make-statement-file.ts";
import { closedMonths } from "../../../shared/statements/statement.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { doJob } from "../../harness/given-jobs.ts";
import { givenHistory } from "../../harness/given-journal.ts";
import { fetched } from "../../harness/given-objects.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenAccounts } from "./given-statements.ts";

const count = 2_100;
let beginMs = Date.UTC(2070, 8, 20);
beforeEach(() => {
  beginMs += 400 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: beginMs });
});
afterEach(() => {
  vi.useRealTimers();
});
const period = () => new Date(Date.now()).toISOString().slice(0, 7);

/** A Card with more entries in its month than a request takes, and the month is over. */
async function givenLongMonth() {
  const accounts = await givenAccounts();
  const { program, cardId } = accounts;
  const account = { kind: "card", accountId: cardId } as const;
  await givenHistory({ programId: program.programId, account, count, since: new Date(Date.now() + 1_000) });
  const month = period();
  vi.setSystemTime(Date.now() + 40 * 86_400_000);
  const requested = async () => {
    const items = await storedItems(program.programId);
    const found = items.filter(({ kind }) => kind === "statement.requested");
    return found
      .map((item) => OutboxEvent.parse(item))
      .toSorted((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1));
  };
  return { ...accounts, month, requested };
}

/** Its text, after a check. Undefined without Debian's packages `qpdf` and `poppler-utils`. */
function readPdf(pdf: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "long-statement-"));
  try {
    const file = join(folder, "statement.pdf");
    writeFileSync(file, pdf);
    const checked = spawnSync("qpdf", ["--check", file], { encoding: "utf8" });
    const text = spawnSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" });
    if (checked.error || text.error) return undefined;
    expect(checked).toMatchObject({ status: 0, stderr: "" });
    return text.stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Takes steps until none is left; with each step repeated, as a queue may. */
async function makeAll(
  event: OutboxEvent,
  { isRepeated = false, ...limits }: { workMs?: number; isRepeated?: boolean } = {},
) {
  let steps = 0;
  let next: OutboxEvent | undefined = event;
  while (next) {
    const detail = await makeStatementFile(next, limits);
    if (isRepeated) await makeStatementFile(next, limits);
    steps += 1;
    next = detail && { ...next, detail };
  }
  return steps;
}

describe("a statement of more lines than fit in a request", () => {
  it("is made in the background once, and fetched by a URL", async () => {
    const { card, month, requested } = await givenLongMonth();
    const first = (await card.get(month, { format: "csv" })).body.data;
    expect(first).toMatchObject({ status: "running", progressPercent: 0, closed: true, period: month });
    expect((await card.get(month, { format: "csv" })).body.data).toEqual(first);
    const events = await requested();
    expect(events).toHaveLength(1);
    await doJob(events[0] as OutboxEvent);
    const done = (await card.get(month, { format: "csv" })).body.data;
    expect(done).toMatchObject({ status: "done", progressPercent: 100 });
    const rows = (await fetched(done.url)).split("\r\n");
    expect(rows).toHaveLength(count + 4);
    const amounts = rows.slice(2, -2).map((row) => Number(row.split(",")[3]));
    const [, , , , closing] = rows.at(-2)?.split(",") ?? [];
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(Number(closing));
  });

  it("is the same bytes whatever the steps, and when they are repeated", { timeout: 240_000 }, async () => {
    const { card, month, requested } = await givenLongMonth();
    const make = async (options: object) => {
      expect((await card.get(month, { format: "json" })).body.data.status).toBe("running");
      await makeAll((await requested()).at(-1) as OutboxEvent, options);
      return fetched((await card.get(month, { format: "json" })).body.data.url);
    };
    const whole = await make({});
    const { data } = JSON.parse(whole);
    expect(data).toMatchObject({ openingBalance: 0, proof: { entries: count, sum: data.closingBalance } });
    // Its file has expired.
    vi.setSystemTime(Date.now() + 8 * 86_400_000);
    expect(await make({ workMs: 0, isRepeated: true })).toBe(whole);
  });

  it("is a PDF of the names that the month was closed with, in parts the same bytes", {
    timeout: 240_000,
  }, async () => {
    const { program, card, cardId, month, requested } = await givenLongMonth();
    const ask = async (format: string) => (await card.get(month, { format })).body.data;
    const named = (nameOnCard: string) => overwrite(cards.key(program.programId, cardId), { nameOnCard });
    // Two are asked for before the month is closed, and the Card is renamed between them.
    await named("FIRST");
    await ask("csv");
    await named("SECOND");
    await ask("pdf");
    const byFormat = (await requested()).map((event) => [String(event.detail.format), event] as const);
    const begun = new Map(byFormat);
    await makeAll(begun.get("csv") as OutboxEvent);
    await named("THIRD");
    await makeAll(begun.get("pdf") as OutboxEvent, { workMs: 0, isRepeated: true });
    const inParts = await fetched((await ask("pdf")).url);
    expect((await closedMonths.at(program.programId, cardId, month).require()).printed?.name).toBe("FIRST");
    vi.setSystemTime(Date.now() + 8 * 86_400_000);
    await ask("pdf");
    await makeAll((await requested()).at(-1) as OutboxEvent);
    expect(await fetched((await ask("pdf")).url)).toBe(inParts);
    const text = readPdf(inParts);
    if (text === undefined) return;
    expect(text).toContain("FIRST");
    expect(text).not.toMatch(/SECOND|THIRD/);
    expect(text.match(/Page \d+/g)).toHaveLength(46);
  });

  it("is begun once and is one file if its first requests race, and two make it", {
    timeout: 120_000,
  }, async () => {
    const { card, month, requested } = await givenLongMonth();
    const ask = async () => (await card.get(month, { format: "csv" })).body.data;
    const [first, ...others] = await Promise.all([ask(), ask(), ask()]);
    for (const other of others) expect(other).toEqual(first);
    const events = await requested();
    expect(events).toHaveLength(1);
    await Promise.all([makeAll(events[0] as OutboxEvent), makeAll(events[0] as OutboxEvent, { workMs: 0 })]);
    const text = await fetched((await ask()).url);
    vi.setSystemTime(Date.now() + 8 * 86_400_000);
    await ask();
    await makeAll((await requested()).at(-1) as OutboxEvent);
    expect(await fetched((await ask()).url)).toBe(text);
  });
});
