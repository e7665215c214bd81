import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { fromDepositReference } from "../../../shared/contract/creditor-reference.ts";
import { OutsideEvent } from "../../../shared/contract/outside.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { type GivenProgram, givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { eventsIn } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A deposit that the bank is to report. */
async function given(body: object = {}) {
  vi.stubEnv("SIMULATED_BANK", "false");
  const program = await givenProgram();
  const { cardId } = await givenCard(program);
  const path = { cardId };
  const sent = { amount: 1_000, reference: "INV-8871", ...body };
  const answer = await program.call("POST /cards/{cardId}/bank-deposit", { path, body: sent });
  return { program, cardId, answer, depositId: answer.body.data.depositId as string };
}

const cancel = (program: GivenProgram, depositId: string, headers = {}) =>
  program.call("POST /deposits/{depositId}/cancel", { path: { depositId }, headers });
const view = async (program: GivenProgram, depositId: string) =>
  (await program.call("GET /deposits/{depositId}", { path: { depositId } })).body.data;
const indexed = (items: readonly { pk: string }[]) => items.filter(({ pk }) => pk.endsWith("#EXPECTED"));
const close = (program: GivenProgram, cardId: string) =>
  program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });

describe("POST /deposits/{depositId}/cancel", () => {
  it("200: reversed once, and the bank is told", async () => {
    const { program, cardId, depositId, answer } = await given();
    const headers = { "Idempotency-Key": "cancel-1" };
    const { status, body } = await cancel(program, depositId, headers);
    expect([status, body.data]).toMatchObject([200, { depositId, status: 2, amount: 1_000 }]);
    expect(await view(program, depositId)).toEqual(body.data);
    expect((await cancel(program, depositId, headers)).body).toEqual(body);
    expect((await cancel(program, depositId)).body.code).toBe("ILLEGAL_TRANSITION");
    const items = await expectBooksInOrder(program.programId);
    expect(balancesIn(items, cardId)).toMatchObject({ pendingDepositMinor: 0, ledgerMinor: 0 });
    expect([indexed(items), items.filter(({ sk }) => sk === "DEADLINE")]).toEqual([[], []]);
    const told = eventsIn(items).filter(({ kind }) => /^deposit.(expected|cancelled)$/.test(kind));
    const { expiresAt, creditorReference, status: announced } = answer.body.data;
    expect([announced, fromDepositReference(creditorReference)]).toEqual(["expected", depositId]);
    const facts = { depositId, creditorReference, amount: 1_000, currency: "USD" };
    expect(told.map(({ kind, detail }) => ({ kind, ...detail }))).toEqual([
      { kind: "deposit.expected", ...facts, reference: "INV-8871", expiresAt },
      { kind: "deposit.cancelled", ...facts },
    ]);
    for (const { detail, ...common } of told) OutsideEvent.parse({ ...detail, ...common });
  });

  it("with its Card: closing cancels all that are open", async () => {
    const { program, cardId, depositId } = await given();
    const path = { cardId };
    await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 70 } });
    await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount: 70 } });
    expect((await close(program, cardId)).status).toBe(200);
    expect((await view(program, depositId)).status).toBe(2);
    const items = await expectBooksInOrder(program.programId);
    expect(balancesIn(items, cardId)).toMatchObject({ pendingDepositMinor: 0, ledgerMinor: 0 });
    expect(indexed(items)).toEqual([]);
    const told = eventsIn(items).filter(({ kind }) => kind === "deposit.cancelled");
    expect(told).toHaveLength(3);
  });

  it("none is cancelled where something else keeps the Card from being closed", async () => {
    const { program, cardId, depositId } = await given();
    const { programId } = program;
    const details = { accountType: 1, accountId: cardId, amount: 100, channel: "crypto" };
    await processor({ kind: "deposit_pending", programId, eventId: newId("event"), ...details });
    expect((await close(program, cardId)).body.code).toBe("CARD_NOT_EMPTY");
    expect((await view(program, depositId)).status).toBe(0);
  });

  it("409: what the bank has cleared; 404: another Program's", async () => {
    const { program, depositId } = await given();
    expect((await cancel(await givenProgram(), depositId)).status).toBe(404);
    const { programId } = program;
    await processor({ kind: "deposit_cleared", programId, eventId: newId("event"), depositId });
    expect((await cancel(program, depositId)).body.code).toBe("ILLEGAL_TRANSITION");
    expect((await view(program, depositId)).status).toBe(1);
  });

  it("409: a deposit that the client has not announced", async () => {
    const program = await givenProgram();
    const accountId = await givenWallet(program);
    const details = { accountType: 0, accountId, amount: 100, channel: "bank" };
    const event = { kind: "deposit_pending", programId: program.programId, eventId: newId("event") };
    const { depositId } = (await processor({ ...event, ...details })) as { depositId: string };
    expect((await cancel(program, depositId)).body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("of cancellation and clearing at once, one wins", async () => {
    const { program, cardId, depositId } = await given();
    const { programId } = program;
    const clearing = { kind: "deposit_cleared", programId, eventId: newId("event"), depositId };
    const [cancelled, cleared] = await Promise.all([cancel(program, depositId), processor(clearing)]);
    const isCleared = (cleared as { outcome: string }).outcome === "applied";
    expect([200, 409]).toContain(cancelled.status);
    expect(isCleared).toBe(cancelled.status === 409);
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, cardId).availableMinor).toBe(isCleared ? 1_000 : 0);
  });

  it("the operator cancels one, once", async () => {
    const { program, depositId } = await given();
    const { programId } = program;
    expect(await operate("cancel-deposit", { programId, depositId })).toEqual({ depositId });
    await expect(operate("cancel-deposit", { programId, depositId })).rejects.toThrow("no announced deposit");
    expect((await view(program, depositId)).status).toBe(2);
  });

  it("ends by itself after the days that it was given", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 1) });
    const { program, cardId, depositId } = await given({ expiresInDays: 2 });
    const day = 86_400_000;
    const { expiresAt } = await view(program, depositId);
    expect(Date.parse(expiresAt)).toBe(Date.now() + 2 * day);
    vi.setSystemTime(Date.now() + day);
    await sweepDeadlines();
    expect((await view(program, depositId)).status).toBe(0);
    vi.setSystemTime(Date.now() + day);
    await sweepDeadlines();
    expect((await view(program, depositId)).status).toBe(2);
    const items = await expectBooksInOrder(program.programId);
    expect(balancesIn(items, cardId).ledgerMinor).toBe(0);
    expect([indexed(items), items.filter(({ sk }) => sk === "DEADLINE")]).toEqual([[], []]);
  });
});
