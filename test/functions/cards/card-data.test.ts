import { describe, expect, it } from "vitest";
import { invokeFunction } from "../../../shared/platform/invoke-function.ts";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { encryptFor, givenDevice } from "../../harness/given-device.ts";
import { vault, vaultFault } from "../../harness/given-vault.ts";

describe("POST /cards/{cardId}/reveal", () => {
  it("answers 503 while the vault does not answer", async () => {
    vaultFault.next = "never";
    const asked = invokeFunction("vault", { command: "public-key", input: {} }, 50);
    await expect(asked).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("answers 503 without a JWE if the audit entry cannot be written", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { publicKey } = await givenDevice();
    using _ = injectFaults(({ input }) =>
      JSON.stringify(input).includes("#AUDIT") ? "server-error" : undefined,
    );
    const call = { path: { cardId }, body: { publicKey } };
    const { status, body } = await program.call("POST /cards/{cardId}/reveal", call);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("jwe");
  });
});

describe("PUT /cards/{cardId}/pin", () => {
  async function set(program: GivenProgram, cardId: string, jwe: string) {
    return program.call("PUT /cards/{cardId}/pin", { path: { cardId }, body: { jwe } });
  }
  it("rejects what the vault cannot open", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
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
