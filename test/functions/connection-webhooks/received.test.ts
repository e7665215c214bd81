import { describe, expect, it } from "vitest";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { basicAuthorization, jitRequest } from "../../harness/marqeta-messages.ts";
import { refusedOf } from "../../harness/refused.ts";
import { givenConnection } from "./given-connection.ts";

async function givenBank() {
  const program = await givenProgram();
  const walletId = await givenStoredWallet(program.programId);
  const connect = () => givenConnection(program, { port: "bank", adapter: "iso20022" });
  const connection = await connect();
  const deposit = { type: "deposit.announced", reference: walletId, amount: 1_250, currency: "USD" };
  const send = async (messageId: string, body: object, by = connection) => {
    const text = JSON.stringify({ ...deposit, bankReference: `${program.programId}-1`, ...body });
    return by.post(text, signatureHeaders(messageId, Buffer.from(text), [by.secret], now()));
  };
  return {
    program,
    send,
    connect,
    ledger: () => ledgerOf(program, walletId),
    refused: () => refusedOf(program),
  };
}

const ledgerOf = async (program: GivenProgram, walletId: string) =>
  (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.ledgerBalance;

describe("a signed webhook whose id came before", () => {
  it("with the same content gets the first answer, and moves nothing", async () => {
    const { send, ledger, refused } = await givenBank();
    const first = await send("m-1", { eventId: "e-1" });
    expect(first.status).toBe(200);
    expect((await send("m-1", { eventId: "e-1" })).body).toEqual(first.body);
    expect((await send("m-2", { eventId: "e-1" })).body).toEqual(first.body);
    expect(await ledger()).toBe(1_250);
    expect(await refused()).toEqual([]);
  });

  it.each([
    ["webhook-id", "m-1", "e-2"],
    ["eventId", "m-2", "e-1"],
  ])("as %s with another content is refused, and kept", async (name, messageId, eventId) => {
    const { send, ledger, refused } = await givenBank();
    await send("m-1", { eventId: "e-1" });
    const other = await send(messageId, { eventId, bankReference: "another", amount: 9_999 });
    expect([other.status, other.body.errors]).toMatchObject([
      422,
      [{ message: expect.stringContaining(name) }],
    ]);
    expect(await ledger()).toBe(1_250);
    expect(await refused()).toMatchObject([
      { port: "bank", reason: `${name}: came before with another content.` },
    ]);
  });

  it("written anew is the same one: what was interrupted is applied, once", async () => {
    const { send, ledger, refused } = await givenBank();
    {
      using _ = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
      expect((await send("m-1", { eventId: "e-1", sentAt: 1 })).status).toBeGreaterThanOrEqual(500);
    }
    expect(await ledger()).toBe(0);
    for (const sentAt of [2, 3]) expect((await send("m-1", { sentAt, eventId: "e-1" })).status).toBe(200);
    expect(await ledger()).toBe(1_250);
    expect(await refused()).toEqual([]);
  });

  it("can be corrected after a refusal, and then belongs to what was applied", async () => {
    const { program, send, ledger } = await givenBank();
    const bankReference = `${program.programId}-2`;
    const returned = { type: "deposit.returned", eventId: "e-1", bankReference: "unknown" };
    for (const body of [{ eventId: "e-1", amount: 0.5 }, returned, returned])
      expect((await send("m-1", body)).status).toBe(422);
    expect((await send("m-1", { eventId: "e-1" })).status).toBe(200);
    expect((await send("m-1", { eventId: "e-1", bankReference })).status).toBe(422);
    expect((await send("m-1", { eventId: "e-1" })).status).toBe(200);
    expect(await ledger()).toBe(1_250);
    // The id of a message whose eventId was another one's is free again.
    expect((await send("m-2", { eventId: "e-1", bankReference })).status).toBe(422);
    expect((await send("m-2", { eventId: "e-2", bankReference })).status).toBe(200);
    expect(await ledger()).toBe(2_500);
  });

  it("of a bank that was replaced by another is another", async () => {
    const { program, send, connect, ledger } = await givenBank();
    expect((await send("m-1", { eventId: "e-1" })).status).toBe(200);
    const successor = await connect();
    const bankReference = `${program.programId}-2`;
    expect((await send("m-1", { eventId: "e-1", bankReference }, successor)).status).toBe(200);
    // The same bank under its new secret: one deposit.
    expect((await send("m-2", { eventId: "e-1" })).status).toBe(200);
    expect((await send("m-2", { eventId: "e-2" }, successor)).status).toBe(200);
    expect(await ledger()).toBe(2_500);
  });

  it("of another Program or port is another", async () => {
    const [one, other] = [await givenBank(), await givenBank()];
    expect((await one.send("m-1", { eventId: "e-1" })).status).toBe(200);
    expect((await other.send("m-1", { eventId: "e-1", amount: 1 })).status).toBe(200);
  });
});

describe("while the Program is suspended", () => {
  const suspend = ({ operate, programId }: GivenProgram) =>
    operate("suspend-program", { programId, reason: "Its keys leaked." });

  it("a deposit waits: 503, kept once, and applied, perhaps corrected, as the bank sends it again", async () => {
    const { program, send, ledger, refused } = await givenBank();
    await suspend(program);
    for (const _ of [1, 2]) expect((await send("m-1", { eventId: "e-1" })).status).toBe(503);
    expect(await refused()).toMatchObject([{ port: "bank", reason: expect.stringContaining("suspended") }]);
    const { programId } = program;
    await program.operate("resume-program", { programId, reason: "New keys." });
    expect(await ledger()).toBe(0);
    expect((await send("m-1", { eventId: "e-1", amount: 1_300 })).status).toBe(200);
    expect((await send("m-1", { eventId: "e-1" })).status).toBe(422);
    expect(await ledger()).toBe(1_300);
  });

  it("so does one of a suspended Tenant, and an outcome", async () => {
    const program = await givenProgram();
    const connection = await givenConnection(program, { port: "compliance", adapter: "http" });
    const tenantId = (await readProgram(program.programId))?.tenantId;
    await program.operate("suspend-tenant", { tenantId, reason: "Its keys leaked." });
    const text = JSON.stringify({ type: "kyc.outcome", eventId: "e", sessionId: "s", outcome: "approved" });
    const headers = signatureHeaders("m", Buffer.from(text), [connection.secret], now());
    expect((await connection.post(text, headers)).status).toBe(503);
  });

  it("the card network is answered all the same", async () => {
    const program = await givenProgram();
    const connection = await givenConnection(program, { port: "processor", adapter: "marqeta" });
    const { cardId } = await givenCard(program);
    await suspend(program);
    const answer = await connection.post(
      jitRequest(cardId, "a-1", 100),
      basicAuthorization(connection.secret),
    );
    expect([answer.status, answer.body.jit_funding.decline_reason]).toEqual([402, "INSUFFICIENT_FUNDS"]);
  });
});

it("a bank's webhook announces and returns deposits, each once, and what names nothing known is kept", async () => {
  const { program, send, connect, ledger, refused } = await givenBank();
  const sent = async (eventId: string, body: object = {}) =>
    (await send(eventId, { eventId, ...body })).status;
  expect([await sent("1"), await sent("1"), await sent("2")]).toEqual([200, 200, 200]);
  expect(await ledger()).toBe(1_250);
  const stranger = { ...(await connect()), secret: "whsec_c2VjcmV0LW9mLXNvbWVib2R5LWVsc2UtZW50aXJlbHk=" };
  expect((await send("3", { eventId: "3" }, stranger)).status).toBe(401);
  const returned = { type: "deposit.returned" };
  expect([await sent("4", returned), await sent("5", returned)]).toEqual([200, 200]);
  expect(await ledger()).toBe(0);
  const unmatched = { bankReference: `${program.programId}-2`, reference: "no id" };
  expect(await sent("8", unmatched)).toBe(200);
  expect(await sent("9", { ...returned, ...unmatched })).toBe(200);
  expect(await sent("6", { ...returned, bankReference: "none" })).toBe(422);
  expect(await sent("7", { amount: 0.5 })).toBe(422);
  expect(await refused()).toHaveLength(2);
});
