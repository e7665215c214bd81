import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BooksFormat } from "../../../shared/books/forms.ts";
import { makeBooksFile } from "../../../shared/books/make-books-file.ts";
import { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { doJob, nextMessage } from "../../harness/given-jobs.ts";
import { givenHistory } from "../../harness/given-journal.ts";
import { fetched } from "../../harness/given-objects.ts";
import { randomFrom } from "../../harness/random.ts";
import { inSlowRequest } from "../../harness/slow-request.ts";
import { storedItems } from "../../harness/stored.ts";
import { livePlatform } from "./platform-life.ts";

let year = 2050;
beforeEach(() => {
  year += 1;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(year, 9, 30, 15) });
});
afterEach(() => void vi.useRealTimers());

function ask(program: GivenProgram, date: string, format: BooksFormat) {
  return program.call("GET /ledger/{date}", { path: { date }, query: { format } });
}

/** A day of a platform's life, which is over, and its books as a fast request has them. */
async function givenDay(format: BooksFormat) {
  const program = await givenProgram({ settings: { timeZone: "Europe/Berlin" } });
  const date = `${year}-10-31`;
  const { programId } = program;
  const account = { kind: "card", accountId: (await givenCard(program)).cardId } as const;
  await givenHistory({ programId, account, count: 40, since: new Date(`${date}T12:00:00.000Z`) });
  await livePlatform(program, randomFrom(11), 40);
  vi.setSystemTime(Date.now() + 4 * 86_400_000);
  const { status, body } = await ask(program, date, format);
  expect(status).toBe(200);
  const atOnce = format === "json" ? JSON.stringify(body) : String(body);
  const events = async () => {
    const items = await storedItems(programId);
    const found = items.filter(({ kind }) => kind === "ledger.requested");
    return found
      .map((item) => OutboxEvent.parse(item))
      .toSorted((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1));
  };
  const slow = async () => (await inSlowRequest(5_000, () => ask(program, date, format))).body.data;
  const view = async () => (await ask(program, date, format)).body.data;
  const begin = async () => {
    const data = await slow();
    return { data, event: (await events()).at(-1) as OutboxEvent };
  };
  return { program, date, atOnce, events, begin, slow, view };
}

/** One entry is a step, and a few are read of each run at once. */
const smallest = { workMs: 0, reads: 1, entriesInPart: 1, chunkBytes: 1_000 };

async function step(event: OutboxEvent, limits: object = {}): Promise<OutboxEvent[]> {
  return nextMessage(event, await makeBooksFile(event, limits));
}

async function makeAll(event: OutboxEvent, limits: object = {}): Promise<number> {
  let steps = 0;
  for (let left = [event]; left[0] && steps < 500; steps += 1) left = await step(left[0], limits);
  return steps;
}

describe("a day that takes longer than a request", () => {
  it.each(["hledger", "csv", "json"] as const)(
    "is made in the background once, and is the same bytes as at once: %s",
    async (format) => {
      const { atOnce, events, begin, slow, view, date } = await givenDay(format);
      const { data, event } = await begin();
      expect(data).toMatchObject({ date, status: "running", progressPercent: 0 });
      expect(data.trialBalance).toBeUndefined();
      expect(await slow()).toEqual(data);
      expect(await events()).toHaveLength(1);
      await doJob(event);
      const done = await view();
      expect(done).toMatchObject({ status: "done", progressPercent: 100 });
      expect(await fetched(done.url)).toBe(atOnce);
    },
    60_000,
  );

  it("is the same bytes however small its steps are, and made again", async () => {
    const { atOnce, begin, view } = await givenDay("hledger");
    const { event } = await begin();
    expect(await makeAll(event, smallest)).toBeGreaterThan(20);
    expect(await fetched((await view()).url)).toBe(atOnce);
    vi.setSystemTime(Date.now() + 8 * 86_400_000);
    await makeAll((await begin()).event);
    expect(await fetched((await view()).url)).toBe(atOnce);
    if (spawnSync("hledger", ["--version"]).status === 0)
      expect(spawnSync("hledger", ["-f", "-", "check", "--strict"], { input: atOnce }).status).toBe(0);
  }, 120_000);

  it("shows how far it is, and no file before it is whole", async () => {
    const { begin, view } = await givenDay("csv");
    let left = [(await begin()).event];
    let last = 0;
    for (let count = 0; left[0] && count < 500; count += 1) {
      const { status, progressPercent, url } = await view();
      expect([status, url]).toEqual(["running", undefined]);
      expect(progressPercent).toBeGreaterThanOrEqual(last);
      last = progressPercent;
      left = await step(left[0], { ...smallest, entriesInPart: 5 });
    }
    expect(last).toBeGreaterThan(60);
    expect(await view()).toMatchObject({ status: "done" });
  }, 120_000);

  it("is one whole file if two make it at once, and steps are killed and repeated", async () => {
    const { atOnce, begin, view } = await givenDay("hledger");
    const limits = { ...smallest, entriesInPart: 7 };
    let left = [(await begin()).event];
    for (let count = 0; left.length > 0 && count < 500; count += 1) {
      // As one that is killed after it has written, before its message is sent.
      if (count % 2 === 1) await makeBooksFile(left[0] as OutboxEvent, limits);
      const made = await Promise.all([...left, ...left].slice(0, 2).map((event) => step(event, limits)));
      left = made.flat();
      const { url } = await view();
      if (url) expect(await fetched(url)).toBe(atOnce);
    }
    expect(await fetched((await view()).url)).toBe(atOnce);
  }, 120_000);

  it("is begun again if its steps have stopped", async () => {
    const { atOnce, begin, view, events } = await givenDay("csv");
    const first = await begin();
    const [rest] = await step(first.event);
    vi.setSystemTime(Date.now() + 601_000);
    const second = await begin();
    expect(await events()).toHaveLength(2);
    expect(await step(rest as OutboxEvent)).toEqual([]);
    await makeAll(second.event);
    expect(await fetched((await view()).url)).toBe(atOnce);
  }, 60_000);
});
