import { describe, expect, it, onTestFinished } from "vitest";
import { cardCryptography } from "../../../functions/vault/cryptography/choose.ts";
import { createPinBlock0 } from "../../../functions/vault/pin-block.ts";
import { Currency } from "../../../shared/contract/enums.ts";
import { newId } from "../../../shared/platform/id.ts";
import { encryptForVault, givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";
import { givenPaymentService } from "../../harness/payment-server.ts";
import { createPinBlock } from "../../harness/pin-block.ts";

/** Keys of published examples. */
const pair = "0123456789ABCDEFFEDCBA9876543210";
const otherPair = "99999999999999998888888888888888";
const zone0 = "C1D0F8FB4958670DBA40AB1F3752EF0D";
const zone4 = "00112233445566778899AABBCCDDEEFF";
const service = "89ABCDEF0123456776543210FEDCBA98";
const keys = {
  card1: pair,
  card2: otherPair,
  cavv1: otherPair,
  pin1: pair,
  pin2: pair,
  service,
  zone0,
  zone4,
};

const imported = async (content: object) =>
  (await vault("import-pin-key", { jwe: await encryptForVault(content) })).outcome;

/** Both implementations have the same keys: these tests are one contract for them. */
const implementations = {
  "keys of the vault, which KMS wraps": async () => {
    // Indexes of these tests alone: a key of an index never changes.
    const zones = { pinKey: zone4, tdesPinKey: zone0 };
    expect(
      await imported({ ...zones, index: 3, cardKey: pair, cavvKey: otherPair, pinVerificationKey: pair }),
    ).toBe("imported");
    expect(await imported({ index: 4, cardKey: otherPair, pinVerificationKey: pair })).toBe("imported");
    return { first: 3, second: 4 };
  },
  "AWS Payment Cryptography": async () => {
    expect(await imported({ servicePinKey: service })).toBe("imported");
    await givenPaymentService(keys);
    return { first: 1, second: 2 };
  },
};

describe.each(Object.entries(implementations))("with %s", (_, given) => {
  it("codes are the published ones, and each use and index has a key of its own", async () => {
    const { first, second } = await given();
    const { computeCode } = await cardCryptography();
    const code = (date: string, serviceCode: string, cardNumber = "4111111111111111") => ({
      cardNumber,
      date,
      serviceCode,
    });
    expect(await computeCode("card", first, code("8701", "101", "4123456789012345"))).toBe("561");
    expect(await computeCode("card", second, code("3333", "111", "2222222222222222"))).toBe("361");
    expect(await computeCode("cavv", first, code("3333", "111", "2222222222222222"))).toBe("361");
    const codes = ["201", "999", "000"].map((one) => computeCode("card", first, code("2512", one)));
    expect(await Promise.all(codes)).toEqual(["139", "133", "765"]);
    await expect(computeCode("card", first, code("8701", "101"))).resolves.not.toBe("561");
  });

  it("PINs of both formats are verified by the networks' value", async () => {
    const { first } = await given();
    const { verifyPin } = await cardCryptography();
    // The published value of PIN 1234 and key index 1 is of the index, which is part of it.
    const value =
      first === 1
        ? "9464"
        : await (await cardCryptography()).computePinValue(first, "4111111111111111", "1234");
    const card = "4111111111111111";
    for (const block of [
      createPinBlock0("1234", Buffer.from(zone0, "hex"), card),
      createPinBlock("1234", Buffer.from(zone4, "hex"), card, Buffer.alloc(8, 0x5a)),
    ]) {
      expect(await verifyPin(first, card, block, value)).toBe("right");
      expect(await verifyPin(first, card, block, String((Number(value) + 1) % 10_000).padStart(4, "0"))).toBe(
        "wrong",
      );
      expect(await verifyPin(first, card, Buffer.alloc(block.length), value)).toBe("unreadable");
    }
  });

  it("the vault reveals, verifies and produces, and Cards keep their codes when keys are replaced", async () => {
    const { first, second } = await given();
    process.env.CARD_KEY_INDEX = String(first);
    onTestFinished(() => void Object.assign(process.env, { CARD_KEY_INDEX: "1" }));
    const card = givenVaultCard();
    const revealed = await revealTo(card);
    const { cardNumber, cvv } = revealed;
    const set = async (pin: string) => {
      const record = {
        cardholderId: newId("cardholder"),
        currency: Currency.usd,
        transId: newId("transaction"),
      };
      return vault("set-pin", {
        ...card,
        ...record,
        jwe: await encryptForVault({ pin, nonce: newId("event") }),
      });
    };
    const verify = async (pin: string) => {
      const pinBlock = createPinBlock0(pin, Buffer.from(zone0, "hex"), cardNumber).toString("hex");
      return (await vault("verify-pin", { attemptId: newId("event"), cardNumber, pinBlock })).outcome;
    };
    expect(await set("8271")).toEqual({ outcome: "set" });
    process.env.CARD_KEY_INDEX = String(second);
    expect(await revealTo(card)).toEqual(revealed);
    expect([await verify("8271"), await verify("8272")]).toEqual(["verified", "wrong"]);
    const asked = { attemptId: newId("event"), cardNumber, cvv, expiryMonth: 11, expiryYear: 2029 };
    expect(await vault("verify-cvv", asked)).toEqual({ outcome: "matches" });
    expect(await set("4096")).toEqual({ outcome: "set" });
    expect([await verify("4096"), await verify("8271")]).toEqual(["verified", "wrong"]);
  });
});

describe("AWS Payment Cryptography", () => {
  it("is asked in the shapes of its API, and never sees a PIN in clear", async () => {
    expect(await imported({ servicePinKey: service })).toBe("imported");
    const { asked, keys: arns } = await givenPaymentService(keys);
    const { computeCode, computePinValue, verifyPin } = await cardCryptography();
    const card = "4111111111111111";
    await computeCode("card", 1, { cardNumber: card, date: "2512", serviceCode: "000" });
    expect(await computePinValue(1, card, "1234")).toBe("9464");
    await verifyPin(
      2,
      card,
      createPinBlock("1234", Buffer.from(zone4, "hex"), card, Buffer.alloc(8)),
      "9464",
    );
    expect(asked.map(({ path }) => path)).toEqual([
      "/cardvalidationdata/generate",
      "/pindata/generate",
      "/pindata/verify",
    ]);
    expect(asked[0]?.body).toEqual({
      KeyIdentifier: arns.cardKeys[0],
      PrimaryAccountNumber: card,
      GenerationAttributes: { CardVerificationValue2: { CardExpiryDate: "2512" } },
      ValidationDataLength: 3,
    });
    expect(asked[1]?.body).toMatchObject({
      EncryptionKeyIdentifier: arns.servicePinKey,
      PinBlockFormat: "ISO_FORMAT_0",
    });
    expect(asked[2]?.body).toMatchObject({
      VerificationKeyIdentifier: arns.pinVerificationKeys[1],
      EncryptionKeyIdentifier: arns.networkPinKeys.format4,
      PinBlockFormat: "ISO_FORMAT_4",
    });
    expect(JSON.stringify(asked)).not.toMatch(/"1234"|041234/);
  });

  it("is asked again while it throttles or fails; another error says its name alone", async () => {
    const { asked, fault } = await givenPaymentService(keys);
    const { computeCode } = await cardCryptography();
    const code = () =>
      computeCode("card", 1, { cardNumber: "4123456789012345", date: "8701", serviceCode: "101" });
    for (const next of ["ThrottlingException", 500, 503] as const) {
      fault.next = next;
      expect(await code()).toBe("561");
    }
    expect(asked).toHaveLength(3);
    fault.next = "AccessDeniedException";
    await expect(code()).rejects.toThrow(/^GenerateCardValidationData: AccessDeniedException$/);
    await expect(
      computeCode("card", 6, { cardNumber: "4123456789012345", date: "8701", serviceCode: "101" }),
    ).rejects.toThrow("names no key with the index 6");
  });
});

it("a key that computes codes is replaced by none, under its index", async () => {
  const given = { index: 5, cardKey: pair };
  expect([await imported(given), await imported(given)]).toEqual(["imported", "imported"]);
  expect(await imported({ index: 5, cardKey: otherPair })).toBe("index-in-use");
  for (const content of [{}, { index: 5 }, { cardKey: "00" }, { index: 7, cardKey: pair }, { key: pair }])
    expect(await imported(content)).toBe("unreadable");
});
