import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { DynamoDBClient, ListTablesCommand, paginateScan } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import type { VaultCommand, VaultInput, VaultOutput } from "../../shared/contract/vault.ts";
import { givenCard, givenWallet } from "../harness/given-cards.ts";
import { encryptFor, givenDevice } from "../harness/given-device.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { callerOf } from "../harness/given-vault.ts";
import { createPinBlock } from "../harness/pin-block.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { local } from "./outbox-records.ts";

/** Fails Luhn's check, so that it is stored: what the search has to find. */
const misplaced = "5424180279791731";
/** Of these, the first two that are nowhere in quotes before: four digits turn up by chance. */
const pins = ["8271", "6048", "9305", "7162", "5827", "3960"];

interface Revealed {
  readonly cardNumber: string;
  readonly cvv: string;
}

describe("a whole run with card data", () => {
  let given: GivenPlatform;
  const revealed: Revealed[] = [];
  const said: string[] = [];
  let receiver: Receiver;
  let platform: Platform;
  let program: LiveProgram;
  /** Three digits in quotes that were there before any code was computed. */
  let usualCodes: ReadonlySet<string>;
  let pin: string;
  let wrongPin: string;

  beforeAll(async () => {
    receiver = await startReceiver();
    const say = (line: string) => void said.push(line);
    given = await givenPlatform({ receivers: [receiver.origin], say });
    ({ platform, program } = given);
    await program.call("POST /webhooks", { body: { url: `${receiver.origin}/`, eventTypes: [1, 2, 3, 4] } });
    const cards = [];
    for (let count = 0; count < 4; count += 1) cards.push(await useCard());
    const before = (await everything()).join("\n");
    usualCodes = new Set(quotedCodes(before));
    [pin = "", wrongPin = ""] = pins.filter((one) => !written(one).test(before));
    for (const { cardId } of cards) revealed.push(await reveal(cardId));
    for (const { cardId } of cards) await setPin(cardId);
    for (const { cardNumber } of revealed) await useNumber(cardNumber);
    await vault("export-production", await batchOf(cards));
    await platform.settled();
  });
  afterAll(async () => {
    await given?.stop();
    await receiver?.stop();
  });

  /** Issued, funded and spent from: with notifications, journal entries and events. */
  async function useCard() {
    const card = await givenCard(program, { metadata: { note: misplaced } });
    const path = { cardId: card.cardId as string };
    const sourceWalletId = await givenWallet(program, 20_000);
    const body = { sourceWalletId, destinationType: 1, destinationId: card.cardId, amount: 9_000 };
    await program.call("POST /wallets/transfer", { body });
    const held = await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 1_000 } });
    const { authorizationId } = held.body.data;
    const clearing = { path: { authorizationId }, body: {} };
    await program.call("POST /authorizations/{authorizationId}/clear", clearing);
    await platform.settled();
    return card;
  }

  async function reveal(cardId: string): Promise<Revealed> {
    const device = await givenDevice();
    const body = { publicKey: device.publicKey };
    const answer = await program.call("POST /cards/{cardId}/reveal", { path: { cardId }, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    // What is refused must not be kept either.
    expect((await program.call("POST /cards/{cardId}/reveal", { path: { cardId }, body })).status).toBe(409);
    return (await device.open(answer.body.data.jwe)).content;
  }

  async function setPin(cardId: string) {
    const { jwk } = (await program.call("GET /vault/key")).body.data;
    for (const [one, status] of [
      [pin, 200],
      ["111111", 422],
    ] as const) {
      const jwe = await encryptFor(jwk, { pin: one, nonce: crypto.randomUUID() });
      const answer = await program.call("PUT /cards/{cardId}/pin", { path: { cardId }, body: { jwe } });
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    }
  }

  /** What the network does with a number. */
  async function useNumber(cardNumber: string) {
    const { pinKey } = await vault("local-pin-key", {});
    const blockOf = (one: string) =>
      createPinBlock(one, Buffer.from(pinKey, "hex"), cardNumber, Buffer.alloc(8, 0xa5)).toString("hex");
    const tryPin = (one: string) =>
      vault("verify-pin", { attemptId: crypto.randomUUID(), cardNumber, pinBlock: blockOf(one) });
    expect(await vault("resolve", { cardNumber })).toMatchObject({ outcome: "found" });
    expect(await tryPin(pin)).toEqual({
      outcome: "verified",
    });
    const { outcome } = await tryPin(wrongPin);
    expect(outcome).toBe("wrong");
  }

  async function batchOf(
    cards: readonly Record<string, unknown>[],
  ): Promise<VaultInput<"export-production">> {
    const { publicKey } = await givenDevice();
    const { programId } = platform.connection;
    const batch = cards.map(({ cardId, maskedCardNumber, expiryMonth, expiryYear, nameOnCard }) => ({
      ...{ programId, cardId, expiryMonth, expiryYear, nameOnCard, shippingAddress: { city: "London" } },
      ...{ bin: String(maskedCardNumber).slice(0, 6), lastFour: String(maskedCardNumber).slice(-4) },
    }));
    return { batchId: "batch", publicKey, cards: batch as never };
  }

  async function vault<C extends VaultCommand>(command: C, input: VaultInput<C>): Promise<VaultOutput<C>> {
    const url = platform.connection.operatorUrl.replace("-operator", `-vault:${callerOf(command)}`);
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ command, input }) });
    expect(response.headers.get("x-amz-function-error")).toBeNull();
    return (await response.json()) as VaultOutput<C>;
  }

  /** Tables, files of the run (engines, queues, logs, mailbox), trace, output and callbacks. */
  async function everything(): Promise<string[]> {
    const { controlUrl } = platform.connection;
    const trace = await (await fetch(`${controlUrl}/trace`)).text();
    const callbacks = receiver.received.map(({ body, headers }) => `${body}${JSON.stringify(headers)}`);
    return [...(await tableItems()), ...filesIn(given.directory), trace, said.join("\n"), ...callbacks];
  }

  async function tableItems(): Promise<string[]> {
    const client = new DynamoDBClient({ ...local, endpoint: platform.connection.store.endpoint });
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    expect(TableNames.filter((name) => /vault/i.test(name))).toHaveLength(1);
    const items: string[] = [];
    for (const TableName of TableNames)
      for await (const { Items = [] } of paginateScan({ client }, { TableName }))
        items.push(...Items.map((item) => JSON.stringify(item, asText)));
    client.destroy();
    return items;
  }

  it("finds a number that is stored, in the tables and in the files", async () => {
    expect((await tableItems()).filter((item) => holds(item, misplaced)).length).toBeGreaterThan(3);
    expect(filesIn(given.directory).filter((file) => holds(file, misplaced)).length).toBeGreaterThan(0);
    expect(holds(`{"number":"${Buffer.from(misplaced).toString("base64")}"}`, misplaced)).toBe(true);
    expect(holds(Buffer.from(misplaced, "hex").toString("latin1"), misplaced)).toBe(true);
  });

  it("leaves no number anywhere, written out, packed or in base64", async () => {
    expect(new Set(revealed.map(({ cardNumber }) => cardNumber)).size).toBe(4);
    const places = await everything();
    for (const { cardNumber } of revealed)
      expect(places.filter((place) => holds(place, cardNumber)).map(excerpt)).toEqual([]);
  });

  it("leaves no PIN anywhere", async () => {
    const places = await everything();
    // A verification value has four digits too, and may be those of the PIN.
    const values = new Set(
      (await tableItems()).flatMap((item) => /"verification":"?[^\d]*(\d{4})/.exec(item)?.[1] ?? []),
    );
    expect(values.size).toBeGreaterThan(0);
    const sought = [pin, wrongPin].filter((one) => !values.has(one));
    for (const one of sought) {
      expect(written(one).test(`{"pin":"${one}"}`) && written(one).test(`PIN is ${one}.`)).toBe(true);
      expect(places.filter((place) => written(one).test(place)).map(excerpt)).toEqual([]);
    }
  });

  it("leaves no code anywhere", async () => {
    const codes = revealed.map(({ cvv }) => cvv).filter((cvv) => !usualCodes.has(cvv));
    expect(codes.length).toBeGreaterThan(0);
    const found = new Set(quotedCodes((await everything()).join("\n")));
    expect(codes.filter((cvv) => found.has(cvv))).toEqual([]);
  });

  it("deletes a PIN's value when its Card is closed", async () => {
    const { cardId } = await useCard();
    await setPin(cardId);
    const values = async () =>
      (await tableItems()).filter((item) => item.includes(cardId) && item.includes('"verification"'));
    expect(await values()).toHaveLength(1);
    const body = { sweepToWalletId: await givenWallet(program, 0) };
    const closed = await program.call("POST /cards/{cardId}/close", { path: { cardId }, body });
    expect(closed.status, JSON.stringify(closed.body)).toBe(200);
    await advanceClock(platform.connection, "2m");
    expect(await values()).toEqual([]);
  });
});

/** ASCII, base64 of it, or two digits in a byte. */
function holds(text: string, number: string): boolean {
  const packed = Buffer.from(number, "hex").toString("latin1");
  const base64 = Buffer.from(number).toString("base64").replace(/=*$/, "").slice(0, -1);
  return [number, packed, base64].some((one) => text.includes(one));
}

/** In quotes, or after the word. */
function written(digits: string): RegExp {
  return new RegExp(`"${digits}\\\\?"|pin\\W{0,3}(is )?${digits}(?!\\d)`, "i");
}

function quotedCodes(text: string): string[] {
  return [...text.matchAll(/"(\d{3})\\?"/g)].map(([, code = ""]) => code);
}

/** Where it was found, for the message of a failure. */
function excerpt(place: string): string {
  return place.slice(0, 200);
}

/** Binary attributes as their bytes. */
function asText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value;
}

/** Every file as its bytes, whatever it is. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => `${file}\n${readFileSync(file, "latin1")}`);
}
