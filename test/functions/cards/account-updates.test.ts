import { GenerateMacCommand } from "@aws-sdk/client-kms";
import { beforeEach, describe, expect, test } from "vitest";
import { kms } from "../../../functions/vault/keys.ts";
import {
  type GivenProgram,
  givenApprovedCardholder,
  givenCard,
  givenProgram,
  shippingAddress,
} from "../../harness/given-cards.ts";
import { encryptForVault, givenDevice } from "../../harness/given-device.ts";
import { keyServerFault } from "../../harness/key-server.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

type Update = Record<string, unknown> & { kind: string; oldNumberHash: string };
type Made = { plasticId: string; maskedCardNumber: string; expiryMonth: number; expiryYear: number };

let program: GivenProgram;
beforeEach(async () => {
  program = await givenProgram();
});

async function givenActive(cardForm: 0 | 1) {
  const cardholderId = await givenApprovedCardholder(program);
  const physical = cardForm === 1 && { shippingAddress };
  const { cardId } = await givenCard(program, { cardholderId, cardForm, ...physical });
  const path = { cardId: String(cardId) };
  const activate = ({ maskedCardNumber, expiryMonth, expiryYear }: Made) => {
    const body = { lastFour: maskedCardNumber.slice(-4), expiryMonth, expiryYear };
    return program.call("POST /cards/{cardId}/activate", { path, body });
  };
  if (cardForm === 1) await activate((await program.call("GET /cards/{cardId}", { path })).body.data);
  return {
    cardId: path.cardId,
    activate,
    replace: async (body: object): Promise<Made> =>
      (await program.call("POST /cards/{cardId}/replace", { path, body })).body.data,
    renew: async (): Promise<Made> =>
      (await program.call("POST /cards/{cardId}/renew", { path, body: {} })).body.data,
    close: () => program.call("POST /cards/{cardId}/close", { path, body: {} }),
    updates: () => listUpdates({ cardId: path.cardId, sort: "asc" }),
    setPin: async (more: object) => {
      const jwe = await encryptForVault({ pin: "2580", nonce: crypto.randomUUID() });
      return program.call("PUT /cards/{cardId}/pin", { path, body: { jwe, ...more } });
    },
    pinsSet: async (): Promise<boolean[]> =>
      (await program.call("GET /cards/{cardId}/plastics", { path })).body.items.map(
        ({ pinSet }: { pinSet: boolean }) => pinSet,
      ),
    hash: async (plasticId?: string) => {
      const device = await givenDevice();
      const body = { publicKey: device.publicKey, ...(plasticId && { plasticId }) };
      const { data } = (await program.call("POST /cards/{cardId}/reveal", { path, body })).body;
      return hashOf((await device.open(data.jwe)).content.cardNumber);
    },
  };
}

async function listUpdates(query: Record<string, string> = {}): Promise<Update[]> {
  return (await program.call("GET /account-updates", { query })).body.items;
}

/** As the vault should: over the digits alone, with the key for this alone. */
async function hashOf(number: string): Promise<string> {
  const { Mac } = await kms.send(
    new GenerateMacCommand({
      KeyId: process.env.ACCOUNT_UPDATE_KEY,
      MacAlgorithm: "HMAC_SHA_256",
      Message: Buffer.from(number),
    }),
  );
  return Buffer.from(Mac ?? []).toString("hex");
}

describe("account updates", () => {
  test("a lost number is told at once, with both hashes and the new expiry", async () => {
    const of = await givenActive(1);
    const oldNumberHash = await of.hash();
    const made = await of.replace({ reason: "lost" });
    const newNumberHash = await of.hash(made.plasticId);
    const { expiryMonth, expiryYear } = made;
    expect(await of.updates()).toEqual([
      {
        ...{ updateId: expect.stringMatching(/^upd_/), cardId: of.cardId, kind: "number" },
        ...{ oldNumberHash, newNumberHash, expiryMonth, expiryYear },
        dateCreated: expect.any(String),
      },
    ]);
    await of.activate(made);
    expect(await of.updates()).toHaveLength(1);
  });

  test("a later expiry is told when the plastic is activated; a virtual one's at once", async () => {
    const of = await givenActive(1);
    const oldNumberHash = await of.hash();
    const made = await of.replace({ reason: "damaged" });
    expect(await of.updates()).toEqual([]);
    await of.activate(made);
    const { expiryMonth, expiryYear } = made;
    const [update] = await of.updates();
    expect(update).toMatchObject({ kind: "expiry", oldNumberHash, expiryMonth, expiryYear });
    expect(update).not.toHaveProperty("newNumberHash");
    const virtual = await givenActive(0);
    const renewed = await virtual.renew();
    expect(await virtual.updates()).toMatchObject([{ kind: "expiry", expiryYear: renewed.expiryYear }]);
  });

  test("a closed Card tells its last number", async () => {
    const of = await givenActive(0);
    await of.replace({ reason: "stolen" });
    const oldNumberHash = await of.hash();
    await of.close();
    await sweepDeadlines();
    await sweepDeadlines();
    const [replaced, closed] = await of.updates();
    expect(replaced).toMatchObject({ kind: "number", newNumberHash: oldNumberHash });
    expect(closed).toMatchObject({ kind: "closed", oldNumberHash });
    expect(Object.keys(closed ?? {})).toEqual([
      ...["updateId", "cardId", "kind", "oldNumberHash", "dateCreated"],
    ]);
  });

  test("while the vault does not answer, a loss stops the number; the sweep tells it, once", async () => {
    const of = await givenActive(0);
    await of.hash();
    keyServerFault.on = true;
    const made = await of.replace({ reason: "stolen" }).finally(() => {
      keyServerFault.on = false;
    });
    expect(made).toMatchObject({ state: "active", reason: "stolen" });
    expect(await of.updates()).toEqual([]);
    await Promise.all([sweepDeadlines(), sweepDeadlines()]);
    expect(await of.updates()).toMatchObject([{ kind: "number" }]);
  });

  test("of several sweeps and a repetition at once, an update is listed once", async () => {
    const of = await givenActive(0);
    await Promise.all([of.renew(), sweepDeadlines(), sweepDeadlines()]);
    await sweepDeadlines();
    expect(await of.updates()).toHaveLength(1);
  });

  test("are listed for the Program, and by kind", async () => {
    const [one, other] = [await givenActive(0), await givenActive(0)];
    await one.renew();
    await other.replace({ reason: "lost" });
    expect((await listUpdates()).map(({ kind }) => kind)).toEqual(["number", "expiry"]);
    expect((await listUpdates({ kind: "expiry" })).map(({ cardId }) => cardId)).toEqual([one.cardId]);
    expect(await listUpdates({ cardId: one.cardId, kind: "number" })).toEqual([]);
  });
});

describe("the PIN of a number", () => {
  test("is set for the plastic that is not activated yet, or for the one that is named", async () => {
    const of = await givenActive(1);
    const [first] = (await program.call("GET /cards/{cardId}/plastics", { path: { cardId: of.cardId } })).body
      .items;
    await of.replace({ reason: "lost" });
    expect((await of.setPin({ plasticId: first.plasticId })).body.code).toBe("ILLEGAL_TRANSITION");
    expect(await of.pinsSet()).toEqual([false, false]);
    expect((await of.setPin({})).status).toBe(200);
    expect(await of.pinsSet()).toEqual([false, true]);
    expect((await of.setPin({ plasticId: `plc_${"0".repeat(26)}` })).status).toBe(404);
  });

  test("those of all numbers are forgotten when the Card is closed", async () => {
    const of = await givenActive(0);
    await of.setPin({});
    await of.replace({ reason: "lost" });
    await of.setPin({});
    expect(await of.pinsSet()).toEqual([true, true]);
    await of.close();
    await sweepDeadlines();
    await sweepDeadlines();
    expect(await of.pinsSet()).toEqual([false, false]);
  });
});
