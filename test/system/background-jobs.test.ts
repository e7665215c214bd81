import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { useStore } from "../../infra/commands/audit/connect-store.ts";
import type { Platform } from "../../infra/development/platform.ts";
import { givenCard } from "../harness/given-cards.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

const patience = { timeout: 60_000, interval: 100 };
const dayMs = 86_400_000;
const clearings = [300, 200, 100];
/** What a request takes: more goes to the background. */
const cardsAtOnce = 20;
const entriesAtOnce = 2_000;
/** Of a queue, before a message is a dead letter. */
const attempts = 5;

describe("the jobs of a running platform", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let program: LiveProgram;
  let receiver: Receiver;
  let cardId: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    given = await givenPlatform({ receivers: [receiver.origin] });
    ({ platform, program } = given);
    useStore(platform.connection.store);
    cardId = (await givenCard(program)).cardId;
    await program.call("POST /cards/{cardId}/deposits", {
      path: { cardId },
      body: { amount: 10_000, pending: false },
    });
    await program.call("POST /webhooks", { body: { url: `${receiver.origin}/`, eventTypes: [1] } });
    for (const amount of clearings)
      await program.call("POST /cards/{cardId}/force-post", { path: { cardId }, body: { amount } });
    await platform.settled();
  });
  afterAll(async () => {
    await given?.stop();
    await receiver?.stop();
  });

  const get = async (
    route: Parameters<LiveProgram["call"]>[0],
    path: Record<string, string>,
    query: Record<string, string> = {},
  ) => {
    const { status, body } = await program.call(route, { path, query });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data;
  };
  const fetchedOnceDone = async (ask: () => Promise<{ status: string; url: string }>) => {
    await vi.waitFor(async () => expect(await ask()).toMatchObject({ status: "done" }), patience);
    return (await fetch((await ask()).url)).text();
  };
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);
  /** Begun as by a request that has no more time. */
  const beginReport = async () => {
    const { findSettlement } = await import("../../functions/settlements/view-settlement.ts");
    return findSettlement({ programId: program.programId, currency: 0, date: day(0) }, 0);
  };
  const storedReport = async () => {
    const { reports, unpackTally } = await import("../../shared/settlements/report.ts");
    const report = await reports.at(program.programId, day(0)).require();
    return { isDone: report.isDone, tally: unpackTally(report) };
  };

  it("make a statement, the books of a day and a simulation", async () => {
    const cards: string[] = [];
    while (cards.length < cardsAtOnce) cards.push((await givenCard(program)).cardId);
    const body = { name: "Once", state: "draft", singleUse: true };
    const { controlId } = (await program.call("POST /controls", { body })).body.data;
    const asked = { path: { controlId }, body: { days: 1 } };
    const begun = (await program.call("POST /controls/{controlId}/simulate", asked)).body.data;
    expect(begun).toMatchObject({ status: "running" });
    const { simulationId } = begun;
    const simulation = () => get("GET /simulations/{simulationId}", { simulationId });

    const { givenHistory } = await import("../harness/given-journal.ts");
    const { programId } = program;
    const accountId = cards[0] ?? "";
    const since = new Date(Date.now() - 300_000);
    await givenHistory({ programId, account: { kind: "card", accountId }, count: entriesAtOnce + 1, since });
    const month = { cardId: accountId, period: day(0).slice(0, 7) };
    const statement = () => get("GET /cards/{cardId}/statements/{period}", month, { format: "csv" });
    expect(await statement()).toMatchObject({ status: "running" });

    const { programDay } = await import("../../shared/tenancy/programs/program-days.ts");
    const { requestLedgerFile } = await import("../../shared/books/ledger-file.ts");
    const yesterday = programDay({ createdAt: "", settings: { timeZone: "Etc/UTC" } }, day(1));
    await requestLedgerFile({ programId, currency: 0 }, yesterday, "csv", new Date());
    const books = () => get("GET /ledger/{date}", { date: day(1) }, { format: "csv" });

    expect((await fetchedOnceDone(statement)).trim().split("\r\n").length).toBeGreaterThan(entriesAtOnce);
    expect(await fetchedOnceDone(books)).toContain("account");
    await vi.waitFor(async () => expect(await simulation()).toMatchObject({ status: "done" }), patience);
  });

  it("top a Card up within five seconds, once for the fall that ten events cause", async () => {
    const { walletId = "" } = given.connection;
    const path = { cardId: (await givenCard(program)).cardId };
    const call = async (route: Parameters<LiveProgram["call"]>[0], of: object, body: object) =>
      expect((await program.call(route, { path: of as Record<string, string>, body })).status).toBe(200);
    await call("POST /wallets/{walletId}/bank-deposit", { walletId }, { amount: 5_000 });
    await call("POST /cards/{cardId}/deposits", path, { amount: 1_000, pending: false });
    const rule = { walletId, threshold: 600, amount: 1_000, active: true };
    await call("PUT /cards/{cardId}/top-up", path, rule);
    await Promise.all(
      Array.from({ length: 10 }, () => call("POST /cards/{cardId}/authorizations", path, { amount: 50 })),
    );
    const balance = () => get("GET /cards/{cardId}/balance", path);
    const within = { timeout: 5_000, interval: 100 };
    await vi.waitFor(async () => expect(await balance()).toMatchObject({ availableBalance: 1_500 }), within);
    await platform.settled();
    expect(await balance()).toMatchObject({ availableBalance: 1_500 });
    const query = { type: "top_up" };
    const { body } = await program.call("GET /wallets/{walletId}/transactions", {
      path: { walletId },
      query,
    });
    expect(body.items).toMatchObject([{ amount: -1_000 }]);
  });

  it("delay no webhook while they are killed, become a dead letter, and are done once when it is put back", async () => {
    const { connection } = platform;
    const killed = async (begin: () => Promise<unknown>) => {
      const body = JSON.stringify({ function: "background-jobs", afterMs: 0 });
      const answer = fetch(new URL("/kill", connection.controlUrl), { method: "POST", body });
      await begin();
      expect(await (await answer).json()).toEqual({ killed: true });
    };
    await killed(beginReport);
    const sent = receiver.received.length;
    const path = { cardId };
    await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 500 } });
    await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThan(sent), { timeout: 10_000 });
    for (let attempt = 2; attempt <= attempts; attempt += 1)
      await killed(() => advanceClock(connection, "5m"));
    expect((await storedReport()).isDone).toBe(false);

    await vi.waitFor(async () => {
      await advanceClock(connection, "5m");
      expect(await deadLetters("show", "background-jobs")).toMatchObject({
        letters: [{ kind: "settlement.requested", ids: { "detail.programId": program.programId } }],
      });
    }, patience);
    expect(await deadLetters("redrive", "background-jobs")).toEqual({ putBack: 1 });
    await vi.waitFor(async () => expect((await storedReport()).isDone).toBe(true), patience);
    const { tally } = await storedReport();
    expect(tally).toMatchObject({ transactions: clearings.length, gross: 600 });
    expect(await deadLetters("show", "background-jobs")).toMatchObject({ letters: [] });
  });

  async function deadLetters(...words: string[]): Promise<unknown> {
    return JSON.parse((await given.run("operator", "dead-letters", ...words)).stdout);
  }
});
