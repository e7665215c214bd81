import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { useStore } from "../../infra/commands/audit/connect-store.ts";
import { givenCard } from "../harness/given-cards.ts";
import { demoProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** More than a request takes. */
const count = 10_100;
const patience = { timeout: 60_000, interval: 500 };

describe("long files of a running platform", () => {
  let given: GivenPlatform;
  let program: LiveProgram;
  let cardId: string;
  const today = new Date().toISOString().slice(0, 10);

  beforeAll(async () => {
    given = await givenPlatform();
    program = demoProgram(given.connection);
    ({ cardId } = await givenCard(program));
    useStore(given.connection.store);
    // Imported late because it reads the environment.
    const { givenHistory } = await import("../harness/given-journal.ts");
    const account = { kind: "card", accountId: cardId } as const;
    await givenHistory({ programId: program.programId, account, count, since: new Date(today) });
    await advanceClock(given.connection, "2d");
  });
  afterAll(async () => {
    await program?.close();
    await given?.stop();
  });

  /** Asks until it is done, as a caller does, and fetches it without certificate and key. */
  async function fetchedOnce(request: () => ReturnType<LiveProgram["call"]>): Promise<string> {
    expect((await request()).body.data).toMatchObject({ status: "running" });
    const { url } = await vi.waitFor(async () => {
      const { data } = (await request()).body;
      expect(data).toMatchObject({ status: "done", progressPercent: 100 });
      return data;
    }, patience);
    const file = await fetch(url);
    expect(file.status).toBe(200);
    return file.text();
  }

  it("a statement is made in the background, and has a line for each entry", async () => {
    const path = { cardId, period: today.slice(0, 7) };
    const csv = await fetchedOnce(() =>
      program.call("GET /cards/{cardId}/statements/{period}", { path, query: { format: "csv" } }),
    );
    // A header, the first and the last balance, and the end of the last line.
    expect(csv.split("\r\n")).toHaveLength(count + 4);
  });

  it("a day of the books is made in the background, and has all entries", async () => {
    const journal = await fetchedOnce(() =>
      program.call("GET /ledger/{date}", { path: { date: today }, query: { format: "hledger" } }),
    );
    expect(journal.match(/^\d{4}-\d\d-\d\d .*jrn_/gm)).toHaveLength(count);
  });
});
