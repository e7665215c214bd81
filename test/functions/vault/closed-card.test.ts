import { describe, expect, it, vi } from "vitest";
import { handler as sweepDeadlines } from "../../../functions/deadlines/handler.ts";
import { pins } from "../../../functions/vault/items.ts";
import { createPinBlock } from "../../../functions/vault/pin-block.ts";
import { getCard } from "../../../shared/cards/card.ts";
import type { VaultCard } from "../../../shared/contract/vault.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenCard, givenProgram } from "../../harness/given-cards.ts";
import { encryptForVault, revealTo } from "../../harness/given-device.ts";
import { vault, vaultFault } from "../../harness/given-vault.ts";
import { lambdaContext } from "../../harness/replay.ts";

async function givenPin() {
  const program = await givenProgram();
  const { programId } = program;
  const { cardId } = await givenCard(program);
  const path = { cardId };
  const { bin, lastFour, expiryMonth, expiryYear, cardholderId, currency } = await getCard(programId, cardId);
  const card: VaultCard = { programId, cardId, bin, lastFour, expiryMonth, expiryYear };
  const newJwe = () => encryptForVault({ pin: "8271", nonce: newId("event") });
  const set = async () => program.call("PUT /cards/{cardId}/pin", { path, body: { jwe: await newJwe() } });
  expect((await set()).status).toBe(200);
  const { cardNumber } = await revealTo(card);
  const { pinKey } = await vault("local-pin-key", {});
  const block = createPinBlock("8271", Buffer.from(pinKey, "hex"), cardNumber, Buffer.alloc(8));
  const verify = async () => {
    const asked = { attemptId: newId("event"), cardNumber, pinBlock: block.toString("hex") };
    return (await vault("verify-pin", asked)).outcome;
  };
  const close = () => program.call("POST /cards/{cardId}/close", { path, body: {} });
  /** With the card's checks done before it was closed. */
  const setLate = async () => {
    const record = { cardholderId, currency, transId: newId("transaction") };
    return (await vault("set-pin", { ...card, ...record, jwe: await newJwe() })).outcome;
  };
  return { programId, cardId, cardNumber, verify, close, setLate };
}

const sweep = () => sweepDeadlines({}, { ...lambdaContext, getRemainingTimeInMillis: () => 60_000 });

describe("the PIN of a Card that is closed", () => {
  it("is deleted by the next sweep; its number still finds the Card, for refunds and reversals", async () => {
    const { programId, cardId, cardNumber, verify, close } = await givenPin();
    expect(await verify()).toBe("verified");
    expect((await close()).status).toBe(200);
    await sweep();
    expect(await verify()).toBe("card-closed");
    expect(Object.keys((await pins.at(programId, cardId).get()) ?? {}).toSorted()).toEqual([
      "attempts",
      "setAt",
    ]);
    expect(await vault("resolve", { cardNumber })).toMatchObject({ outcome: "found", cardId });
  });

  it("is not set again by a request that began before", async () => {
    const { verify, close, setLate } = await givenPin();
    await close();
    await sweep();
    expect(await setLate()).toBe("card-closed");
    expect(await verify()).toBe("card-closed");
  });

  it("is deleted later if the vault does not answer, and once if its answer is lost", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    for (const fault of ["before", "after"] as const) {
      const { verify, close } = await givenPin();
      await close();
      vaultFault.next = fault;
      await sweep();
      expect(await verify()).toBe(fault === "before" ? "verified" : "card-closed");
      vi.setSystemTime(Date.now() + 120_000);
      await sweep();
      expect(await verify()).toBe("card-closed");
    }
    vi.useRealTimers();
  });

  it("stays while the Card is open, whatever the caller says", async () => {
    const { programId, cardId, verify } = await givenPin();
    expect(await vault("forget-pin", { programId, cardId })).toEqual({ outcome: "card-open" });
    expect(await vault("forget-pin", { programId, cardId: newId("card") })).toEqual({ outcome: "card-open" });
    expect(await verify()).toBe("verified");
  });

  it("stays if the Card could not be closed", async () => {
    const { verify, close } = await givenPin();
    using faults = injectFaults(({ command }) => (command === "TransactWriteItems" ? "lost" : undefined));
    expect((await close()).status).toBe(503);
    faults[Symbol.dispose]();
    await sweep();
    expect(await verify()).toBe("verified");
  });
});
