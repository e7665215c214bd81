import { beforeAll, describe, expect, it } from "vitest";
import { makeIban } from "../../../infra/development/iban.ts";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { readPending } from "../../../shared/payments/payment.ts";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { amountOf, detailsOf, entryOfAmount, notificationOf } from "../../shared/adapters/iso20022/camt.ts";
import { givenConnection } from "../connection-webhooks/given-connection.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { debitOf, givenBank, givenPull, namesOf, returnInfo, toldOf } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

const named = (endToEnd: string, bankReference: string) =>
  `<Refs><AcctSvcrRef>${bankReference}</AcctSvcrRef><EndToEndId>${endToEnd}</EndToEndId></Refs>`;

/** A payout of 10.00 that a file has. */
async function givenSent() {
  const bank = await givenBank(files);
  const { payoutId, endToEndId } = await bank.created();
  await makeFiles(bank.programId);
  return { ...bank, payoutId, endToEndId, seen: () => bank.view(payoutId) };
}

/** A pull of 10.00 that has been collected. */
async function givenCollected() {
  const bank = await givenBank(files);
  const { programId } = bank;
  const { pullId, endToEndId, status } = await givenPull(bank);
  await bank.feed(entryOfAmount("10.00", detailsOf(namesOf(endToEndId))));
  expect(await status()).toBe("collected");
  const told = () => toldOf(programId);
  return { ...bank, pullId, endToEndId, status, told };
}

describe("a return of a pull", () => {
  it.each([
    ["in one sum that is larger", `${amountOf("13.00")}${returnInfo}`],
    ["that is told apart", `${amountOf("10.00")}<Chrgs><Rcrd>${amountOf("3.00")}</Rcrd></Chrgs>`],
  ])("is booked with the bank's charge %s, which the operator is told once", async (_, detail) => {
    const { endToEndId, feed, status, told, balances } = await givenCollected();
    const entry = debitOf("13.00", detailsOf(`${namesOf(endToEndId)}${detail}`));
    expect(await feed(entry)).toMatchObject({ applied: 1, rejected: [], addsUp: true });
    await feed(entry, entry);
    expect(await status()).toBe("returned");
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
    expect(await told()).toEqual([expect.stringContaining("3.00 USD")]);
  });

  it("of several at once has the charge of each", async () => {
    const { endToEndId, feed, status, told } = await givenCollected();
    const charge = `<Chrgs><Rcrd>${amountOf("3.00")}</Rcrd></Chrgs>`;
    const parts = [namesOf(endToEndId), namesOf("OTHER-PULL-1")].map(
      (names) => `${names}${amountOf("10.00")}${charge}${returnInfo}`,
    );
    await feed(debitOf("26.00", detailsOf(...parts)));
    expect(await status()).toBe("returned");
    expect(await told()).toHaveLength(2);
  });

  it("is not booked if another account was debited, or the report names no account", async () => {
    const { endToEndId, status, balances } = await givenCollected();
    const other = await givenBank(files);
    const entries = [`${amountOf("10.00")}${returnInfo}`, amountOf("10.00")].map((detail) =>
      debitOf("10.00", detailsOf(`${namesOf(endToEndId)}${detail}`)),
    );
    expect(await other.feed(...entries)).toMatchObject({ applied: 0 });
    for (const account of [makeIban(newId("program")), ""]) {
      const file = notificationOf(account, ...entries).replace("<IBAN></IBAN>", "<Othr><Id>7</Id></Othr>");
      expect(await files.feed("bank", file)).toMatchObject({ applied: 0 });
    }
    expect(await status()).toBe("collected");
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 11_000 });
  });

  it("credited once more waits in suspense, once", async () => {
    const { endToEndId, programId, feed, status, balances } = await givenCollected();
    await feed(debitOf("10.00", detailsOf(`${namesOf(endToEndId)}${returnInfo}`)));
    const again = entryOfAmount("10.00", detailsOf(named(endToEndId, "BACK"))).replace(
      "<Sts>",
      "<RvslInd>true</RvslInd><Sts>",
    );
    expect(await feed(again)).toMatchObject({ suspense: 1, rejected: [] });
    await feed(again);
    expect(await status()).toBe("returned");
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
    const { items } = await operate("list-suspense", { programId });
    expect(items.map(({ amount }) => amount)).toEqual([1_000]);
  });
});

it("a payout's debit with the bank's charge is its debit, and the operator is told the charge", async () => {
  const { endToEndId, feed, seen, balances, programId } = await givenSent();
  const charge = `${amountOf("10.00")}<Chrgs><Rcrd>${amountOf("0.30")}</Rcrd></Chrgs>`;
  const entry = debitOf("10.30", detailsOf(`${namesOf(endToEndId)}${charge}`));
  for (const _ of [1, 2]) await feed(entry);
  expect(await seen()).toMatchObject({ status: "completed" });
  expect(await balances()).toEqual({ available: 9_000, held: 0, ledger: 9_000 });
  expect(await toldOf(programId)).toEqual([expect.stringContaining("0.30 USD")]);
});

it("a micro-deposit's outcome is told by webhook as a payout's is", async () => {
  const { program, programId, externalAccountId, suspended } = await givenNew();
  const route = "POST /external-accounts/{externalAccountId}/verification";
  const path = { externalAccountId };
  await program.call(route, { path, body: { method: "micro_deposits" } });
  const [paid, refused] = await readPending(programId, "pain.001", 10);
  await makeFiles(programId);
  const connection = await givenConnection(program, { port: "bank", adapter: "iso20022" });
  const tell = (eventId: string, body: object) => {
    const text = JSON.stringify({ type: "payout.updated", eventId, ...body });
    return connection.post(text, signatureHeaders(eventId, Buffer.from(text), [connection.secret], now()));
  };
  const completed = { endToEndId: paid?.endToEndId, status: "completed", amount: paid?.amountMinor };
  for (const id of ["m-1", "m-2"]) expect((await tell(id, completed)).status).toBe(200);
  expect((await tell("m-3", { ...completed, type: "pull.updated", status: "returned" })).status).toBe(422);
  expect(await suspended()).toMatchObject({ status: "pending" });
  const rejected = { endToEndId: refused?.endToEndId, status: "rejected", reasonCode: "AC04" };
  expect((await tell("m-4", rejected)).status).toBe(200);
  expect(await suspended()).toMatchObject({ status: "failed", statusReason: "RETURNED" });
});

async function givenNew() {
  const { program, programId } = await givenBank(files);
  const body = { holderName: "Ada Example", holderType: "person", iban: makeIban(newId("program")) };
  const { externalAccountId } = (await program.call("POST /external-accounts", { body })).body.data;
  const path = { externalAccountId };
  const suspended = async () =>
    (await program.call("GET /external-accounts/{externalAccountId}", { path })).body.data;
  return { program, programId, externalAccountId, suspended };
}
