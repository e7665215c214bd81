import { generateKeyPairSync } from "node:crypto";
import { compactDecrypt } from "jose";
import { describe, expect, it, vi } from "vitest";
import { injectFaults } from "../../harness/faults.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { givenDevice } from "../../harness/given-device.ts";
import { vault, vaultFault } from "../../harness/given-vault.ts";
import { startKeyServer } from "../../harness/key-server.ts";

// Everything is logged.
process.env.LOG_LEVEL = "DEBUG";

async function sandboxWallet(program: GivenProgram) {
  return (await program.call("GET /wallets/certificates", {})).body.data;
}

async function push(program: GivenProgram, cardId: string, body: object) {
  return program.call("POST /cards/{cardId}/push-provisioning", { path: { cardId }, body });
}

async function apple(program: GivenProgram) {
  return { wallet: "apple_pay", ...(await sandboxWallet(program)) };
}

const google = { wallet: "google_pay", clientDeviceId: "device-1", clientWalletAccountId: "account-1" };

async function auditLog(program: GivenProgram, action = "push-provisioning") {
  const { body } = await program.call("GET /account/audit-log", { query: { action } });
  return body.items.map(({ subjectId, after }: Record<string, unknown>) => ({ subjectId, after }));
}

describe("POST /cards/{cardId}/push-provisioning", () => {
  it("answers what Apple's wallet takes, that the sandbox's opens, and leaves an audit entry", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { status, body } = await push(program, cardId, await apple(program));
    expect(status).toBe(200);
    expect(Object.keys(body.data).toSorted()).toEqual([
      ...["activationData", "encryptedPassData", "ephemeralPublicKey"],
    ]);
    const { programId } = program;
    expect(await vault("open-payload", { programId, payload: body.data })).toEqual({
      ...{ outcome: "opened", programId, cardId, wallet: "apple_pay" },
    });
    expect(await auditLog(program)).toEqual([{ subjectId: cardId, after: { wallet: "apple_pay" } }]);
  });

  it("answers what Google's wallet takes", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { status, body } = await push(program, cardId, google);
    expect([status, Object.keys(body.data)]).toEqual([200, ["opaquePaymentCard"]]);
    const { programId } = program;
    expect(await vault("open-payload", { programId, payload: body.data })).toMatchObject({ cardId });
  });

  it("gives the number that the Card has now, after a loss", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    await startKeyServer();
    vi.stubEnv("WALLETS", JSON.stringify({ googlePay: { keyId: "own", publicKey: pem } }));
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const pushed = async () => {
      const { opaquePaymentCard } = (await push(program, cardId, google)).body.data;
      const { plaintext } = await compactDecrypt(opaquePaymentCard, privateKey);
      return JSON.parse(new TextDecoder().decode(plaintext)).accountNumber;
    };
    const before = await pushed();
    const body = { reason: "lost" } as const;
    await program.call("POST /cards/{cardId}/replace", { path: { cardId }, body });
    const after = await pushed();
    vi.unstubAllEnvs();
    const device = await givenDevice();
    const revealed = await program.call("POST /cards/{cardId}/reveal", {
      path: { cardId },
      body: { publicKey: device.publicKey },
    });
    expect(after).toBe((await device.open(revealed.body.data.jwe)).content.cardNumber);
    expect(after).not.toBe(before);
  });

  it("writes neither number nor name into a log or an error", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const device = await givenDevice();
    const revealed = await program.call("POST /cards/{cardId}/reveal", {
      path: { cardId },
      body: { publicKey: device.publicKey },
    });
    const { cardNumber } = (await device.open(revealed.body.data.jwe)).content;
    const lines: string[] = [];
    const write = vi
      .spyOn(process.stdout, "write")
      .mockImplementation((line) => lines.push(String(line)) > 0);
    const logs = (["log", "info", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line.join(" "))),
    );
    const given = await apple(program);
    const answers = [
      await push(program, cardId, given),
      await push(program, cardId, { ...given, certificates: ["AAAA", "AAAA"] }),
    ];
    vaultFault.next = "after";
    answers.push(await push(program, cardId, given));
    for (const spy of [write, ...logs]) spy.mockRestore();
    expect(lines.length).toBeGreaterThan(0);
    for (const said of [...lines, JSON.stringify(answers)]) expect(said).not.toContain(cardNumber);
  });

  it("answers 503 without a payload if the audit entry cannot be written", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    using _ = injectFaults(({ input }) =>
      JSON.stringify(input).includes("#AUDIT") ? "server-error" : undefined,
    );
    const { status, body } = await push(program, cardId, google);
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toContain("opaquePaymentCard");
  });
});
