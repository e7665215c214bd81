import { expect, it } from "vitest";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { givenConnection } from "./given-connection.ts";

const ledgerOf = async (program: GivenProgram, walletId: string) =>
  (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.ledgerBalance;

it("a bank's webhook announces and returns deposits, each once, and what names nothing known is kept", async () => {
  const program = await givenProgram();
  const walletId = await givenStoredWallet(program.programId);
  const connection = await givenConnection(program, { port: "bank", adapter: "iso20022" });
  const send = (
    body: Readonly<Record<string, unknown>> & { eventId: string },
    secret = connection.secret,
  ) => {
    const text = JSON.stringify(body);
    return connection.post(text, signatureHeaders(body.eventId, Buffer.from(text), [secret], now()));
  };
  const deposit = { bankReference: program.programId, reference: `for ${walletId}`, amount: 1250 };
  const announced = { type: "deposit.announced", eventId: "1", ...deposit, currency: "USD" };
  expect((await send(announced)).status).toBe(200);
  expect((await send(announced)).status).toBe(200);
  expect((await send({ ...announced, eventId: "2" })).status).toBe(200);
  expect(await ledgerOf(program, walletId)).toBe(1250);
  const other = "whsec_c2VjcmV0LW9mLXNvbWVib2R5LWVsc2UtZW50aXJlbHk=";
  expect((await send({ ...announced, eventId: "3" }, other)).status).toBe(401);
  const returned = { type: "deposit.returned", eventId: "4", bankReference: program.programId };
  expect((await send(returned)).status).toBe(200);
  expect((await send({ ...returned, eventId: "5" })).status).toBe(200);
  expect(await ledgerOf(program, walletId)).toBe(0);
  const unmatched = { bankReference: `${program.programId}-2`, reference: "no id" };
  expect((await send({ ...announced, ...unmatched, eventId: "8" })).status).toBe(200);
  expect((await send({ ...returned, ...unmatched, eventId: "9" })).status).toBe(200);
  const unknown = { ...returned, eventId: "6", bankReference: "none" };
  expect((await send(unknown)).status).toBe(422);
  expect((await send({ ...announced, eventId: "7", amount: 0.5 })).status).toBe(422);
  const { items } = await program.operate("list-refused", {});
  expect(items.filter((one: { programId?: string }) => one.programId === program.programId)).toHaveLength(2);
});
