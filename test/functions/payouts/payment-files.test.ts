import { beforeAll, describe, expect, it, vi } from "vitest";
import { makeFiles } from "../../../shared/payments/make-files.ts";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { filesBucket } from "../../../shared/platform/file-store.ts";
import { operate } from "../../harness/administration.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { amountOf, detailsOf, entryOfAmount, returnOf } from "../../shared/adapters/iso20022/camt.ts";
import { givenConnection } from "../connection-webhooks/given-connection.ts";
import { type GivenFiles, givenFiles } from "../files/given-files.ts";
import { debitOf, givenBank, namesOf, returnedOf, statusFile } from "./given-bank.ts";

let files: GivenFiles;
beforeAll(async () => {
  files = await givenFiles();
});

describe("a file of payments", () => {
  it("has each pending payment once, for good, as the bank gets it", async () => {
    const { programId, created, view, iban } = await givenBank(files);
    const first = await created({ reference: "Invoice 7" });
    const other = await created({ amount: 250 });
    const { items, more } = await operate("send-payments", { programId });
    expect([items, more]).toEqual([
      [
        {
          fileId: expect.stringMatching(/^pmf_/),
          kind: "pain.001",
          ...{ count: 2, sum: 1_250, dateCreated: expect.any(String) },
        },
      ],
      false,
    ]);
    const fileId = items[0]?.fileId ?? "";
    const { xml } = await operate("view-payment-file", { fileId });
    for (const one of [first, other]) expect(xml.split(one.endToEndId)).toHaveLength(2);
    expect(xml).toContain(`<IBAN>${iban}</IBAN>`);
    expect(xml).toContain("<Nm>Ana (+) Mueller</Nm>");
    expect(await view(first.payoutId)).toMatchObject({ status: "sent", fileId });
    expect(await operate("list-payment-files", { programId })).toEqual({ items });
    expect((await operate("send-payments", { programId })).items).toEqual([]);
    await created({ amount: 80 });
    const { items: later } = await operate("send-payments", { programId });
    expect(await operate("list-payment-files", { programId, limit: 1 })).toEqual({ items });
    expect(await operate("list-payment-files", { programId, limit: 1, after: fileId })).toEqual({
      items: later,
    });
    const after = later[0]?.fileId;
    expect(await operate("list-payment-files", { programId, after })).toEqual({ items: [] });
    expect(await operate("view-payment-file", { fileId })).toEqual({ xml });
  });

  it("is ended by the next one who comes, if its maker was killed before the upload", async () => {
    const { programId, created, view } = await givenBank(files);
    const payout = await created();
    const write = vi.spyOn(filesBucket, "write").mockRejectedValueOnce(new Error("killed"));
    await expect(makeFiles(programId)).rejects.toThrow("killed");
    write.mockRestore();
    const { fileId } = await view(payout.payoutId);
    const later = await created({ amount: 77 });
    const made = await makeFiles(programId);
    expect(made.map((one) => [one.fileId, one.count])).toEqual([
      [fileId, 1],
      [expect.any(String), 1],
    ]);
    const { xml } = await operate("view-payment-file", { fileId: fileId ?? "" });
    expect([xml.includes(payout.endToEndId), xml.includes(later.endToEndId)]).toEqual([true, false]);
  });

  it("is made when the full hour has come, or the Program's own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 10, 20) });
    const { program, programId, created, view } = await givenBank(files);
    const [hourly] = [await created()];
    const at = async (hour: number) => {
      vi.setSystemTime(Date.UTC(2031, 2, 4, hour, 1));
      await sweepDeadlines();
    };
    await sweepDeadlines();
    expect(await view(hourly.payoutId)).toMatchObject({ status: "pending" });
    await at(11);
    expect(await view(hourly.payoutId)).toMatchObject({ status: "sent" });
    const path = { programId };
    await program.call("PUT /account/programs/{programId}/settings", { path, body: { cutOff: 16 } });
    const { payoutId } = await created();
    await at(12);
    expect(await view(payoutId)).toMatchObject({ status: "pending" });
    await at(16);
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
    vi.useRealTimers();
  });

  it("is ended within minutes after a kill, also by a Program with an hour of its own", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 2, 4, 16, 20) });
    const { program, programId, created, view } = await givenBank(files);
    const path = { programId };
    await program.call("PUT /account/programs/{programId}/settings", { path, body: { cutOff: 16 } });
    const { payoutId } = await created();
    vi.setSystemTime(Date.UTC(2031, 2, 5, 16, 1));
    const write = vi.spyOn(filesBucket, "write").mockRejectedValueOnce(new Error("killed"));
    await expect(makeFiles(programId)).rejects.toThrow("killed");
    write.mockRestore();
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
    vi.setSystemTime(Date.UTC(2031, 2, 5, 16, 5));
    await sweepDeadlines();
    expect((await operate("list-payment-files", { programId })).items).toMatchObject([{ count: 1 }]);
    vi.useRealTimers();
  });

  it("is made once by two at once", async () => {
    const { programId, created } = await givenBank(files);
    const payouts = await Promise.all([1, 2, 3].map(() => created()));
    await Promise.all([makeFiles(programId), makeFiles(programId), makeFiles(programId)]);
    const { items } = await operate("list-payment-files", { programId });
    const texts = await Promise.all(
      items.map(({ fileId }: { fileId: string }) => operate("view-payment-file", { fileId })),
    );
    const all = texts.map(({ xml }) => xml).join("");
    for (const { endToEndId } of payouts) expect(all.split(endToEndId)).toHaveLength(2);
  });
});

describe("a pull", () => {
  it("goes through the bank's own files: ordered, rejected, collected, and returned", async () => {
    const { program, programId, externalAccountId, walletId, iban, feed, balances } = await givenBank(files);
    const path = { externalAccountId };
    const { body } = await program.call("POST /external-accounts/{externalAccountId}/mandates", {
      ...{ path, body: { signedAt: "2026-11-01", reference: "MANDATE-7" } },
    });
    const { mandateId } = body.data;
    const pull = async (amount: number) => {
      const order = { walletId, externalAccountId, mandateId, amount };
      return (await program.call("POST /pulls", { body: order })).body.data;
    };
    const statusOf = async ({ pullId }: { pullId: string }) =>
      (await program.call("GET /pulls/{pullId}", { path: { pullId } })).body.data.status;
    const [first, other] = [await pull(1_000), await pull(250)];
    const [file] = await makeFiles(programId);
    expect(file).toMatchObject({ kind: "pain.008", count: 2, sumMinor: 1_250 });
    const { xml } = await operate("view-payment-file", { fileId: file?.fileId ?? "" });
    for (const text of [`<IBAN>${iban}</IBAN>`, "<MndtId>MANDATE-7</MndtId>", "FRST", "RCUR"])
      expect(xml).toContain(text);
    await files.feed("bank", statusFile(other.endToEndId, "RJCT"));
    const entry = entryOfAmount("10.00", detailsOf(namesOf(first.endToEndId)));
    expect(await feed(entry, entry)).toMatchObject({ applied: 1, duplicates: 1, rejected: [] });
    expect([await statusOf(first), await statusOf(other)]).toEqual(["collected", "rejected"]);
    expect(await balances()).toMatchObject({ available: 10_000, ledger: 11_000 });
    const names = `<OrgnlEndToEndId>${first.endToEndId}</OrgnlEndToEndId>`;
    const money = `<RtrdIntrBkSttlmAmt Ccy="USD">10.00</RtrdIntrBkSttlmAmt>`;
    const reason = "<RtrRsnInf><Rsn><Cd>MD06</Cd></Rsn></RtrRsnInf>";
    const returned = returnOf(`<RtrId>R-${first.endToEndId}</RtrId>${names}${money}${reason}`);
    for (const applied of [1, 0]) expect(await files.feed("bank", returned)).toMatchObject({ applied });
    expect(await statusOf(first)).toBe("returned");
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
  });
});

it("a pull is collected on a day on which banks settle: that of the client, or the next", async () => {
  const { program, programId, externalAccountId, walletId } = await givenBank(files);
  const path = { externalAccountId };
  const { mandateId } = (
    await program.call("POST /external-accounts/{externalAccountId}/mandates", {
      ...{ path, body: { signedAt: "2026-11-01" } },
    })
  ).body.data;
  for (const collectOn of ["2099-12-24", "2099-12-25", "2099-12-26"]) {
    const body = { walletId, externalAccountId, mandateId, amount: 100, collectOn };
    expect((await program.call("POST /pulls", { body })).body.data).toMatchObject({ collectOn });
  }
  const [file] = await makeFiles(programId);
  const { xml } = await operate("view-payment-file", { fileId: file?.fileId ?? "" });
  // The first one has a sequence of its own, the two others are one batch.
  expect(xml.match(/(?<=<ReqdColltnDt>)[^<]*/g)).toEqual(["2099-12-24", "2099-12-28"]);
});

describe("what the bank says of it", () => {
  it("is claimed by its name, once, however often it comes", async () => {
    const { programId, created, view, feed, balances } = await givenBank(files);
    const { payoutId, endToEndId } = await created();
    await makeFiles(programId);
    const entry = debitOf("10.00", detailsOf(namesOf(endToEndId)));
    expect(await feed(entry)).toMatchObject({ applied: 1, rejected: [], addsUp: true });
    expect(await view(payoutId)).toMatchObject({ status: "completed" });
    expect(await feed(entry, entry)).toMatchObject({ duplicates: 2, rejected: [] });
    expect(await balances()).toEqual({ available: 9_000, held: 0, ledger: 9_000 });
    expect(await feed(returnedOf(endToEndId, "9.00"))).toMatchObject({ applied: 1 });
    expect(await view(payoutId)).toMatchObject({
      ...{ status: "returned", returnedAmount: 900, reasonCode: "AC04" },
    });
    expect(await balances()).toEqual({ available: 9_900, held: 0, ledger: 9_900 });
  });

  it("is told by webhook too, and counts once however it is told", async () => {
    const { program, programId, created, view, feed, balances } = await givenBank(files);
    const [paid, refused] = [await created(), await created({ amount: 250 })];
    await makeFiles(programId);
    const connection = await givenConnection(program, { port: "bank", adapter: "iso20022" });
    const tell = (eventId: string, body: object) => {
      const text = JSON.stringify({ type: "payout.updated", eventId, ...body });
      return connection.post(text, signatureHeaders(eventId, Buffer.from(text), [connection.secret], now()));
    };
    const completed = { endToEndId: paid.endToEndId, status: "completed", amount: 1_000 };
    expect((await tell("e-1", { ...completed, amount: 999 })).status).toBe(422);
    expect((await tell("e-2", completed)).status).toBe(200);
    await feed(debitOf("10.00", detailsOf(namesOf(paid.endToEndId))));
    expect(await view(paid.payoutId)).toMatchObject({ status: "completed" });
    const rejected = { endToEndId: refused.endToEndId, status: "rejected", reasonCode: "AC04" };
    expect((await tell("e-3", { ...rejected, type: "pull.updated" })).status).toBe(422);
    expect((await tell("e-4", rejected)).status).toBe(200);
    expect(await view(refused.payoutId)).toMatchObject({ status: "rejected", reasonCode: "AC04" });
    expect(await balances()).toEqual({ available: 9_000, held: 0, ledger: 9_000 });
  });

  it("of the group is that of all its payments, more than a part has", async () => {
    const { programId, created, view } = await givenBank(files);
    const made = [];
    for (let number = 0; number < 15; number += 1) made.push(await created({ amount: 100 }));
    const [file] = await makeFiles(programId);
    expect(file).toMatchObject({ count: 15, sumMinor: 1_500, parts: 2 });
    const group = `<OrgnlMsgId>${file?.fileId.slice(4)}</OrgnlMsgId><GrpSts>RJCT</GrpSts>`;
    const [own] = made;
    await files.feed(
      "bank",
      statusFile(own?.endToEndId ?? "", "ACSC").replace(
        "<OrgnlPmtInfAndSts>",
        `<OrgnlGrpInfAndSts>${group}</OrgnlGrpInfAndSts><OrgnlPmtInfAndSts>`,
      ),
    );
    const statuses = await Promise.all(made.map(async ({ payoutId }) => (await view(payoutId)).status));
    expect(statuses).toEqual(["completed", ...statuses.slice(1).map(() => "rejected")]);
  });

  it("of a payment that is not known says nothing of the others of its file", async () => {
    const { programId, created, view } = await givenBank(files);
    const { payoutId } = await created();
    const [file] = await makeFiles(programId);
    const group = `<OrgnlGrpInfAndSts><OrgnlMsgId>${file?.fileId.slice(4)}</OrgnlMsgId></OrgnlGrpInfAndSts>`;
    const cut = statusFile("PAY0CUTBYTHEBANK", "RJCT");
    const given = cut.replace("<OrgnlPmtInfAndSts>", `${group}<OrgnlPmtInfAndSts>`);
    expect(await files.feed("bank", given)).toMatchObject({ applied: 0, rejected: [expect.anything()] });
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
  });

  it("of a group leaves those that have a status of their own, however they are written", async () => {
    const { programId, created, view } = await givenBank(files);
    const [own, other] = [await created(), await created()];
    const [file] = await makeFiles(programId);
    const message = file?.fileId.slice(4) ?? "";
    const spaced = own.endToEndId.toLowerCase().replace(/(.{4})/g, "$1 ");
    const rejecting = statusFile(spaced, "ACSP").replace("<TxInf", "<PmtInfSts>RJCT</PmtInfSts><TxInf");
    await files.feed("bank", rejecting.replace(">X<", `>${message.toLowerCase()}-1<`));
    expect(await view(own.payoutId)).toMatchObject({ status: "sent" });
    expect(await view(other.payoutId)).toMatchObject({ status: "rejected" });
  });

  it("gives a Wallet nothing for what an entry takes from the account", async () => {
    const { programId, created, view, feed, balances } = await givenBank(files);
    const { payoutId, endToEndId } = await created();
    await makeFiles(programId);
    const names = namesOf(endToEndId);
    await feed(debitOf("10.00", detailsOf(names)));
    const reason = "<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>";
    const takenAgain = debitOf("10.00", detailsOf(`${names}${amountOf("10.00")}${reason}`));
    expect(await feed(takenAgain)).toMatchObject({ applied: 0, rejected: [expect.anything()] });
    expect(await view(payoutId)).toMatchObject({ status: "completed" });
    expect(await balances()).toEqual({ available: 9_000, held: 0, ledger: 9_000 });
  });

  it("takes back a debit that was booked as a batch", async () => {
    const { programId, created, view, feed, balances } = await givenBank(files);
    const payouts = [await created(), await created({ amount: 250 })];
    const [made] = await makeFiles(programId);
    const batch = `<NtryDtls><Btch><PmtInfId>${made?.fileId.slice(4)}-1</PmtInfId></Btch></NtryDtls>`;
    await feed(debitOf("12.50", batch));
    const reversal = entryOfAmount("12.50", batch).replace("<Sts>", "<RvslInd>true</RvslInd><Sts>");
    expect(await feed(reversal)).toMatchObject({ applied: 1, rejected: [] });
    for (const { payoutId } of payouts) expect(await view(payoutId)).toMatchObject({ status: "returned" });
    expect(await balances()).toEqual({ available: 10_000, held: 0, ledger: 10_000 });
  });

  it("is a status, before the entry or after it", async () => {
    const { programId, created, view } = await givenBank(files);
    const { payoutId, endToEndId } = await created();
    await makeFiles(programId);
    await files.feed("bank", statusFile(endToEndId, "ACSP"));
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
    await files.feed("bank", statusFile(endToEndId, "RJCT"));
    expect(await view(payoutId)).toMatchObject({ status: "rejected", reasonCode: "AC01" });
  });

  it("is of all that is not rejected, where it is booked as a batch", async () => {
    const { programId, created, view, feed } = await givenBank(files);
    const [one, other] = [await created(), await created({ amount: 250 })];
    const [made] = await makeFiles(programId);
    await files.feed("bank", statusFile(other.endToEndId, "RJCT"));
    const batch = `<NtryDtls><Btch><PmtInfId>${made?.fileId.slice(4)}-1</PmtInfId></Btch></NtryDtls>`;
    expect(await feed(debitOf("12.50", batch))).toMatchObject({ applied: 0, rejected: [expect.anything()] });
    expect(await view(one.payoutId)).toMatchObject({ status: "sent" });
    expect(await feed(debitOf("10.00", batch))).toMatchObject({ applied: 1, rejected: [] });
    expect(await view(one.payoutId)).toMatchObject({ status: "completed" });
    expect(await view(other.payoutId)).toMatchObject({ status: "rejected" });
    // It is paid after all, by an entry of its own: the statement that repeats the batch is known.
    expect(await feed(debitOf("2.50", detailsOf(namesOf(other.endToEndId))))).toMatchObject({ applied: 1 });
    expect(await feed(debitOf("10.00", batch))).toMatchObject({ duplicates: 1, rejected: [] });
  });

  it("is refused or waits in suspense if amount or account disagree, and nothing vanishes", async () => {
    const { programId, created, view, feed } = await givenBank(files);
    const { payoutId, endToEndId } = await created();
    await makeFiles(programId);
    const wrong = debitOf("9.99", detailsOf(namesOf(endToEndId)));
    const unknown = debitOf("5.00", detailsOf(namesOf("NOTPROVIDED")));
    const { rejected } = await feed(wrong, unknown);
    expect(rejected).toMatchObject([
      { reason: expect.stringContaining("9.99") },
      { reason: expect.stringContaining("5.00") },
    ]);
    expect(await feed(returnedOf(endToEndId, "10.01"))).toMatchObject({ suspense: 1 });
    const { items } = await operate("list-suspense", { programId });
    expect(items).toMatchObject([{ amount: 1_001, reason: "ACCOUNT_UNKNOWN" }]);
    expect(await view(payoutId)).toMatchObject({ status: "sent" });
  });
});
