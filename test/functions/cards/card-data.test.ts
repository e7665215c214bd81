import { describe, expect, it } from "vitest";
import { invokeFunction } from "../../../shared/platform/invoke-function.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenCard, givenProgram, shippingAddress } from "../../harness/given-cards.ts";
import { encryptFor, encryptForVault, givenDevice } from "../../harness/given-device.ts";
import { vault, vaultFault } from "../../harness/given-vault.ts";
import { keyServerFault } from "../../harness/key-server.ts";

async function reveal(program: GivenProgram, cardId: string, publicKey: object) {
  return program.call("POST /cards/{cardId}/reveal", { path: { cardId }, body: { publicKey } });
}

async function auditLog(program: GivenProgram, action = "reveal") {
  const { body } = await program.call("GET /account/audit-log", { query: { action } });
  return body.items.map(({ subjectId, programId }: Record<string, string>) => ({ subjectId, programId }));
}

describe("POST /cards/{cardId}/reveal", () => {
  it("reveals what the Card's view shows in part, and leaves an audit entry", async () => {
    const program = await givenProgram();
    const card = await givenCard(program);
    const device = await givenDevice();
    const { status, body } = await reveal(program, card.cardId, device.publicKey);
    expect([status, Object.keys(body.data)]).toEqual([200, ["jwe", "expiresAt"]]);
    const { content } = await device.open(body.data.jwe);
    expect(`${content.cardNumber.slice(0, 6)}******${content.cardNumber.slice(-4)}`).toBe(
      card.maskedCardNumber,
    );
    expect(content).toMatchObject({ expiryMonth: card.expiryMonth, expiryYear: card.expiryYear });
    expect(await auditLog(program)).toEqual([{ subjectId: card.cardId, programId: program.programId }]);
  });

  it("leaves an audit entry of its own where the vault rejects the key", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    expect((await reveal(program, cardId, publicKey)).status).toBe(200);
    expect(await reveal(program, cardId, publicKey)).toMatchObject({
      status: 409,
      body: { code: "KEY_USED" },
    });
    expect(await auditLog(program)).toHaveLength(1);
    expect(await auditLog(program, "reveal.reject")).toEqual([
      { subjectId: cardId, programId: program.programId },
    ]);
  });

  it("answers 503 while KMS or the vault does not answer", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    keyServerFault.on = true;
    const { status, body } = await reveal(program, cardId, publicKey).finally(() => {
      keyServerFault.on = false;
    });
    expect([status, body.code]).toEqual([503, "UNAVAILABLE"]);
    expect((await reveal(program, cardId, publicKey)).status).toBe(200);
    vaultFault.next = "never";
    const asked = invokeFunction("vault", { command: "public-key", input: {} }, 50);
    await expect(asked).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("takes the members that a browser exports a key with, but not its private part", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    const rejected = await reveal(program, cardId, { ...publicKey, d: publicKey.x });
    expect(rejected.body.errors).toMatchObject([{ path: "body.publicKey.d" }]);
    expect((await reveal(program, cardId, { ...publicKey, ext: true, key_ops: [] })).status).toBe(200);
  });

  it("rejects another curve, and a point off the curve", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    const { x } = (await givenDevice()).publicKey;
    for (const key of [
      { ...publicKey, crv: "P-384" },
      { ...publicKey, x },
      { ...publicKey, y: "AA" },
    ]) {
      const { status, body } = await reveal(program, cardId, key);
      expect([status, body.code]).toEqual([422, "VALIDATION_FAILED"]);
      expect(body.errors[0].path).toMatch(/^body\.publicKey/);
    }
  });

  it("reveals a Card on hold or not activated, not one that awaits its approval", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
    const physical = await givenCard(program, { cardForm: 1, shippingAddress });
    for (const id of [cardId, physical.cardId])
      expect((await reveal(program, id, (await givenDevice()).publicKey)).status).toBe(200);
    const manual = await givenProgram({ settings: { issuanceApproval: 1 } });
    const pending = await givenCard(manual);
    const { body } = await reveal(manual, pending.cardId, (await givenDevice()).publicKey);
    expect(body.code).toBe("ILLEGAL_TRANSITION");
  });

  it("answers 503 without a JWE if the audit entry cannot be written", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    using _ = injectFaults(({ input }) =>
      JSON.stringify(input).includes("#AUDIT") ? "server-error" : undefined,
    );
    const { status, body } = await reveal(program, cardId, publicKey);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("jwe");
  });

  it("answers 500 if the vault fails, and reveals to the next key", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    for (const fault of ["before", "after"] as const) {
      vaultFault.next = fault;
      expect((await reveal(program, cardId, (await givenDevice()).publicKey)).status).toBe(500);
    }
    expect((await reveal(program, cardId, (await givenDevice()).publicKey)).status).toBe(200);
  });
});

describe("PUT /cards/{cardId}/pin", () => {
  async function set(program: GivenProgram, cardId: string, jwe: string) {
    return program.call("PUT /cards/{cardId}/pin", { path: { cardId }, body: { jwe } });
  }
  const newPin = (pin: unknown = "8271") => encryptForVault({ pin, nonce: crypto.randomUUID() });
  async function records(program: GivenProgram, cardId: string) {
    const { body } = await program.call("GET /cards/transactions", { query: { cardId } });
    return body.items.filter(({ transType }: { transType: number }) => transType === 74);
  }

  it("leaves a record of type 74 for each PIN", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const first = await set(program, cardId, await newPin());
    const second = await set(program, cardId, await newPin("4096"));
    expect([first.status, second.status]).toEqual([200, 200]);
    const found = await records(program, cardId);
    expect(found.map(({ transId }: { transId: string }) => transId).toSorted()).toEqual(
      [first, second].map(({ body }) => body.data.transId).toSorted(),
    );
    expect(found[0]).toMatchObject({ amount: 0, transStatus: 2 });
  });

  it("leaves the record with the PIN, also if the answer is lost", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const jwe = await newPin();
    vaultFault.next = "after";
    expect((await set(program, cardId, jwe)).status).toBe(500);
    expect(await records(program, cardId)).toHaveLength(1);
    expect(await set(program, cardId, jwe)).toMatchObject({ status: 409, body: { code: "NONCE_USED" } });
    expect(await records(program, cardId)).toHaveLength(1);
  });

  it("rejects trivial and malformed PINs, and what does not open", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    for (const [pin, reason] of [
      ["1111", "one digit repeated"],
      ["1234", "sequence"],
      ["123", "4 digits"],
    ]) {
      const { status, body } = await set(program, cardId, await newPin(pin));
      expect([status, body.errors[0].path]).toEqual([422, "body.jwe.pin"]);
      expect(body.errors[0].message).toContain(reason);
    }
    const foreign = await encryptFor((await givenDevice()).publicKey, { pin: "8271", nonce: "n" });
    const { status, body } = await set(program, cardId, foreign);
    expect([status, body.errors[0].path]).toEqual([422, "body.jwe"]);
  });

  it("says which algorithms a JWE must have, if it has others", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const wanted = "must have alg ECDH-ES and enc A256GCM in its header, and no encrypted key";
    const { jwk } = (await program.call("GET /vault/key")).body.data;
    expect(jwk.alg).toBe("ECDH-ES");
    for (const header of [
      { alg: "ECDH-ES+A256KW", enc: "A256GCM" },
      { alg: "ECDH-ES", enc: "A128CBC-HS256" },
      { alg: "ECDH-ES", enc: "A128GCM" },
    ]) {
      const jwe = await encryptFor(jwk, { pin: "8271", nonce: crypto.randomUUID() }, header);
      const { status, body } = await set(program, cardId, jwe);
      expect([status, body.errors]).toMatchObject([422, [{ path: "body.jwe", message: wanted }]]);
    }
    for (const jwe of ["bm90IEpTT04..aa.aa.aa", "bnVsbA..aa.aa.aa", "....", "a.b.c"])
      expect((await set(program, cardId, jwe)).status).toBe(422);
  });

  it("is known to the vault alone", async () => {
    const { jwk } = (await (await givenProgram()).call("GET /vault/key")).body.data;
    expect(await vault("public-key", {})).toEqual({ jwk });
  });
});
