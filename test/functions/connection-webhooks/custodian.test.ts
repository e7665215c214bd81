import { beforeAll, describe, expect, it } from "vitest";
import type { CryptoAddress } from "../../../shared/contract/cards.ts";
import { signatureHeaders } from "../../../shared/platform/callbacks/signature.ts";
import { now } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { refusedOf } from "../../harness/refused.ts";
import { type GivenConnection, givenConnection } from "./given-connection.ts";

interface GivenAddresses {
  readonly cardId: string;
  readonly addresses: readonly CryptoAddress[];
}

let program: GivenProgram;
let connection: GivenConnection;

beforeAll(async () => {
  program = await givenProgram();
  connection = await givenConnection(program, { port: "custodian", adapter: "deposits" });
});

async function givenAddresses(of = program): Promise<GivenAddresses> {
  const { cardId, cryptoAddresses } = await givenCard(of);
  return { cardId, addresses: cryptoAddresses as CryptoAddress[] };
}

const send = (body: object, by = connection) => {
  const text = JSON.stringify({ eventId: newId("event"), ...body });
  return by.post(text, signatureHeaders(newId("event"), Buffer.from(text), [by.secret], now()));
};

const [detected, confirmed, dropped] = ["detected", "confirmed", "dropped"].map((state) => ({
  type: `deposit.${state}`,
})) as [object, object, object];

/** One output of a transaction to an address of a new Card. */
async function givenOutput(chain: CryptoAddress["chain"] = "ethereum") {
  const { cardId, addresses } = await givenAddresses();
  const { address = "" } = addresses.find((one) => one.chain === chain) ?? {};
  const output = { chain, address, txHash: sha256(cardId), asset: "USDC", amount: 700, currency: "USD" };
  return {
    ...{ cardId, output },
    /** The statuses of the answers, one by one. */
    report: async (...events: object[]) => {
      const statuses: number[] = [];
      for (const event of events) statuses.push((await send({ ...output, ...event })).status);
      return statuses;
    },
    spendable: async () => {
      const { body } = await program.call("GET /cards/{cardId}/balance", { path: { cardId } });
      return body.data.availableBalance as number;
    },
    deposits: () => depositsOf(cardId),
  };
}

async function depositsOf(cardId: string) {
  const { body } = await program.call("GET /deposits", { query: { cardId } });
  return body.items as { status: number; amount: number; announcedAmount?: number }[];
}

async function suspenseOf(accountId: string, { programId } = program) {
  const { items } = await program.operate("list-suspense", { programId });
  return items.filter((one: { accountId?: string }) => one.accountId === accountId);
}

const refusals = () => refusedOf(program);

describe("a custodian's webhook", () => {
  it("finds the Card by the address that it had before its number was replaced", async () => {
    const { cardId, report, spendable } = await givenOutput();
    const path = { cardId };
    const addresses = async () =>
      (await program.call("GET /cards/{cardId}", { path })).body.data.cryptoAddresses;
    const before = await addresses();
    await program.call("POST /cards/{cardId}/replace", { path, body: { reason: "lost" } });
    expect(await addresses()).toEqual(before);
    expect(await report(detected, confirmed)).toEqual([200, 200]);
    expect(await spendable()).toBe(700);
  });

  it.each(["bitcoin", "ethereum", "tron"] as const)(
    "finds the Card by its %s address, and books each output once",
    async (chain) => {
      const { report, spendable, deposits } = await givenOutput(chain);
      expect(await report(detected, detected)).toEqual([200, 200]);
      expect([await spendable(), await deposits()]).toMatchObject([0, [{ status: 0, amount: 700 }]]);
      expect(await report(confirmed, confirmed, detected)).toEqual([200, 200, 200]);
      expect([await spendable(), await deposits()]).toMatchObject([700, [{ status: 1, amount: 700 }]]);
      expect(await report({ ...confirmed, outputIndex: 1 })).toEqual([200]);
      expect(await spendable()).toBe(1_400);
    },
  );

  it("books what is confirmed without or before its detection", async () => {
    const { report, spendable, deposits } = await givenOutput();
    expect(await report(confirmed, detected)).toEqual([200, 200]);
    expect(await spendable()).toBe(700);
    expect(await deposits()).toHaveLength(1);
  });

  it("books one deposit of reports that come at once", async () => {
    const { output, spendable, deposits } = await givenOutput();
    const all = [detected, confirmed, confirmed, detected, confirmed];
    const answers = await Promise.all(all.map((event) => send({ ...output, ...event })));
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(await spendable()).toBe(700);
    expect(await deposits()).toHaveLength(1);
  });

  it("counts the confirmed amount, and refuses another one afterwards", async () => {
    const { report, spendable, deposits } = await givenOutput();
    expect(await report(detected, { ...confirmed, amount: 690 })).toEqual([200, 200]);
    expect(await spendable()).toBe(690);
    expect(await deposits()).toMatchObject([{ status: 1, amount: 690, announcedAmount: 700 }]);
    const before = (await refusals()).length;
    expect(await report({ ...confirmed, amount: 700 }, { ...confirmed, amount: 690 })).toEqual([422, 200]);
    expect([await spendable(), (await refusals()).length]).toEqual([690, before + 1]);
  });

  it("reverses what is dropped, also if that comes first, and books what is confirmed after all", async () => {
    const one = await givenOutput();
    expect(await one.report(detected, dropped, dropped, detected)).toEqual([200, 200, 200, 200]);
    expect(await one.deposits()).toMatchObject([{ status: 2 }]);
    expect(await one.report(confirmed, confirmed, dropped)).toEqual([200, 200, 422]);
    expect(await one.spendable()).toBe(700);
    const early = await givenOutput();
    expect(await early.report(dropped, detected)).toEqual([200, 200]);
    expect(await early.deposits()).toEqual([]);
    expect(await early.report(confirmed)).toEqual([200]);
    expect(await early.spendable()).toBe(700);
  });

  it("books once what the sandbox has cleared, and again what it has reversed", async () => {
    for (const [way, sum] of [
      ["clear", 700],
      ["reverse", 700],
    ] as const) {
      const { report, spendable, deposits } = await givenOutput();
      await report(detected);
      const [{ depositId } = { depositId: "" }] = (await deposits()) as unknown as { depositId: string }[];
      const route = `POST /deposits/{depositId}/${way}` as const;
      await program.call(route, { path: { depositId } });
      expect(await report(confirmed, confirmed)).toEqual([200, 200]);
      expect(await spendable()).toBe(sum);
    }
  });

  it("knows an address in any case that its chain allows, and a hash with 0x", async () => {
    const { output, report, spendable } = await givenOutput();
    const lower = output.address.toLowerCase();
    const txHash = `0x${output.txHash.toUpperCase()}`;
    expect(await report({ ...detected, address: lower }, { ...confirmed, txHash })).toEqual([200, 200]);
    expect(await spendable()).toBe(700);
    const bitcoin = await givenOutput("bitcoin");
    const address = bitcoin.output.address.toUpperCase();
    expect(await bitcoin.report({ ...confirmed, address }, confirmed)).toEqual([200, 200]);
    expect(await bitcoin.spendable()).toBe(700);
  });

  it("refuses an address with a wrong checksum, keeps it, and books nothing", async () => {
    const before = (await refusals()).length;
    for (const chain of ["bitcoin", "ethereum", "tron"] as const) {
      const { output, report, spendable } = await givenOutput(chain);
      const { address } = output;
      // One letter in another case: bech32 forbids it, EIP-55 and base58 have another checksum.
      const at = address.search(/[a-zA-Z](?=[^a-zA-Z]*$)/);
      const letter = address.charAt(at);
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      const wrong = address.slice(0, at) + other + address.slice(at + 1);
      expect(await report({ ...confirmed, address: wrong })).toEqual([422]);
      expect(await spendable()).toBe(0);
    }
    expect((await refusals()).length).toBe(before + 3);
  });

  it("books another Program's address in suspense, once, and nothing as long as it is not confirmed", async () => {
    const { output, spendable } = await givenOutput();
    const other = await givenProgram();
    const itsConnection = await givenConnection(other, { port: "custodian", adapter: "deposits" });
    const address = output.address.toLowerCase();
    const reported = async (event: object) => {
      expect((await send({ ...output, ...event }, itsConnection)).status).toBe(200);
      return suspenseOf(address, other);
    };
    expect(await reported(detected)).toEqual([]);
    await reported(confirmed);
    expect(await reported(confirmed)).toMatchObject([{ reason: "ACCOUNT_UNKNOWN", amount: 700 }]);
    expect([await spendable(), await suspenseOf(address)]).toEqual([0, []]);
  });

  it("books what a closed Card gets in suspense, pending first", async () => {
    const { cardId, report } = await givenOutput();
    await program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    expect(await report(detected, confirmed, confirmed, detected)).toEqual([200, 200, 200, 200]);
    expect(await suspenseOf(cardId)).toMatchObject([{ reason: "CARD_CLOSED", status: 1, amount: 700 }]);
    expect(await report({ ...detected, outputIndex: 1 })).toEqual([200]);
    expect(await report({ ...confirmed, outputIndex: 1, amount: 650 })).toEqual([200]);
    const amounts = (await suspenseOf(cardId)).map(({ amount }: { amount: number }) => amount);
    expect(amounts.toSorted()).toEqual([650, 700]);
  });

  it("books another currency in suspense, and refuses another asset, a bad hash and a wrong secret", async () => {
    const { cardId, output, report, spendable } = await givenOutput();
    expect(await report(detected, { ...confirmed, currency: "EUR" })).toEqual([200, 200]);
    expect(await suspenseOf(cardId)).toMatchObject([{ reason: "CURRENCY_MISMATCH" }]);
    expect(await report({ ...confirmed, asset: "ETH" }, { ...confirmed, txHash: "0xff" })).toEqual([
      422, 422,
    ]);
    const secret = "whsec_c2VjcmV0LW9mLXNvbWVib2R5LWVsc2UtZW50aXJlbHk=";
    expect((await send({ ...output, ...confirmed }, { ...connection, secret })).status).toBe(401);
    expect(await spendable()).toBe(0);
  });
});

describe("POST /deposits of the sandbox", () => {
  it.each([0, 1, 2])("needs no card id: address %i finds the Card", async (index) => {
    const { cardId, addresses } = await givenAddresses();
    const { chain, address } = addresses[index] as CryptoAddress;
    const body = { chain, address, amount: 500, pending: false };
    const request = { body, headers: { "Idempotency-Key": cardId } };
    const first = await program.call("POST /deposits", request);
    expect(first.body.data).toMatchObject({ cardId, ledgerBalance: 500 });
    expect((await program.call("POST /deposits", request)).body.data).toEqual(first.body.data);
    const elsewhere = await program.call("POST /deposits", { body: { ...body, address: `${address}x` } });
    expect([elsewhere.status, elsewhere.body.errors]).toMatchObject([422, [{ path: "body.address" }]]);
  });

  it("finds a Card whose issuance was decided", async () => {
    const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
    const { cardId } = await givenCard(manual);
    const path = { cardId };
    const { body } = await manual.call("POST /cards/{cardId}/approval", { path, body: { cardStatus: 1 } });
    const [{ chain, address }] = body.data.cryptoAddresses as [CryptoAddress];
    const answer = await manual.call("POST /deposits", { body: { chain, address, amount: 500 } });
    expect(answer.body.data).toMatchObject({ cardId });
  });
});
