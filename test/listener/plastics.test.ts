import { describe, expect, it } from "vitest";
import { createPinBlock0 } from "../../functions/vault/pin-block.ts";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { firstPlasticId } from "../../shared/cards/card-plastic.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import type { VaultCard } from "../../shared/contract/vault.ts";
import { plastics, toVaultCard } from "../../shared/plastics/plastic.ts";
import { newId } from "../../shared/platform/id.ts";
import { shippingAddress } from "../harness/given-cards.ts";
import { encryptForVault } from "../harness/given-device.ts";
import { activatePending, printedOn, replacePlastic } from "../harness/given-plastics.ts";
import { vault } from "../harness/given-vault.ts";
import { givenConnection, later } from "./given-connection.ts";

type Reason = "lost" | "stolen" | "damaged" | "renewed";

/** A physical Card with 100.00; its first plastic is active. */
async function given() {
  const connection = await givenConnection({
    attributes: {
      ...{ cardForm: 1, expiryMonth: 1, expiryYear: new Date().getUTCFullYear() + 1 },
      shippingAddress: { recipient: "ADA", ...shippingAddress },
    },
  });
  const { programId, cardId, purchase, send } = connection;
  const first = await printedOn({ programId, cardId }, firstPlasticId(cardId));
  /** DE39 of a purchase, with what is printed on a plastic. */
  const paid = async (of: { cardNumber: string; expiry?: string }, more: Message["fields"] = {}) => {
    const message = purchase(100, { 2: of.cardNumber, 14: of.expiry ?? "", ...more });
    const { 14: expiry, ...others } = message.fields;
    const fields = of.expiry === undefined ? others : { ...others, 14: expiry ?? "" };
    return (await send({ ...message, fields })).fields[39];
  };
  /** DE39 of a purchase with each. */
  const allPaid = async (...of: Parameters<typeof paid>[0][]) => {
    const codes: (string | undefined)[] = [];
    for (const one of of) codes.push(await paid(one));
    return codes.join(" ");
  };
  const replace = async (reason: Reason, plasticId?: string) => {
    const made = await replacePlastic({ programId, cardId }, { reason, plasticId });
    return { ...made, ...(await printedOn({ programId, cardId }, made.plasticId)) };
  };
  return { ...connection, first, paid, allPaid, replace };
}

const recurring = { 22: "101", 61: "0004000000200" };
const typed = (cvv: string): Message["fields"] => ({ 22: "810", 48: `T9203${cvv}` });
const another = (cvv: string, by = 1) => String((Number(cvv) + by) % 1_000).padStart(3, "0");

describe("a plastic that was reported", () => {
  it.each([
    ["lost", "41"],
    ["stolen", "43"],
  ] as const)(
    "%s is answered %s, also to what recurs, and the new one 78 until it is activated",
    async (reason, code) => {
      const of = await given();
      expect(await of.paid(of.first)).toBe("00");
      const made = await of.replace(reason);
      expect(made.cardNumber).not.toBe(of.first.cardNumber);
      const { cardNumber } = of.first;
      expect(await of.allPaid(of.first, { cardNumber })).toBe(`${code} ${code}`);
      expect(await of.paid(of.first, recurring)).toBe(code);
      expect(await of.allPaid(made, { cardNumber: made.cardNumber })).toBe("78 78");
      await activatePending(of);
      expect(await of.allPaid(made, of.first)).toBe(`00 ${code}`);
      expect(await of.balances()).toEqual([9_800, 200, 10_000]);
    },
  );
});

describe("a number that was stopped", () => {
  it("takes what settles: a stand-in's advice, and the reversal of a purchase", async () => {
    const of = await given();
    const { cardNumber, expiry } = of.first;
    const message = of.purchase(2_000, { 2: cardNumber, 14: expiry });
    expect(await of.code(message)).toBe("00");
    await of.replace("stolen");
    const advice = of.purchase(300, { 2: cardNumber, 14: expiry, 39: "00", 38: "ABC123" });
    expect(await of.code({ ...advice, mti: "0120" })).toBe("00");
    expect(await of.balances()).toEqual([7_700, 2_300, 10_000]);
    expect(await of.code(later("0420", message))).toBe("00");
    expect(await of.balances()).toEqual([9_700, 300, 10_000]);
    expect(await of.paid(of.first)).toBe("43");
  });

  it.each(["lost", "damaged"] as const)(
    "may be refunded to, if %s: the Card gets the money",
    async (reason) => {
      const of = await given();
      const { cardNumber, expiry } = of.first;
      const asked = () => of.code(of.purchase(900, { 2: cardNumber, 3: "200000", 14: expiry }));
      await of.replace(reason);
      const awaited = await asked();
      await activatePending(of);
      expect([awaited, await asked()]).toEqual(["00", "00"]);
      await of.setStatus(CardStatus.onHold);
      expect(await asked()).toBe("62");
    },
  );

  it("leaves its PIN, its tries and its block behind; a number that is kept keeps them", async () => {
    const of = await given();
    const { programId, cardId } = of;
    const stored = (await of.everything()).find(({ sk }) => sk === "CARD") as never as VaultCard;
    const record = { cardholderId: newId("cardholder"), currency: 0, transId: newId("transaction") } as const;
    const set = async (plastic: Partial<VaultCard> = {}) => {
      const { bin, lastFour, expiryMonth, expiryYear } = { ...stored, ...plastic };
      const card = { programId, cardId, bin, lastFour, expiryMonth, expiryYear, ...plastic };
      const jwe = await encryptForVault({ pin: "8271", nonce: newId("event") });
      return (await vault("set-pin", { ...card, ...record, transId: newId("transaction"), jwe })).outcome;
    };
    const { tdesPinKey } = await vault("local-pin-key", {});
    const withPin = (plastic: { cardNumber: string; expiry: string }, pin: string) => {
      const block = createPinBlock0(pin, Buffer.from(tdesPinKey, "hex"), plastic.cardNumber);
      return of.paid(plastic, { 52: block.toString("hex").toUpperCase() });
    };
    expect(await set()).toBe("set");
    expect(await withPin(of.first, "8271")).toBe("00");
    const damaged = await of.replace("damaged");
    await activatePending(of);
    expect([await withPin(damaged, "8271"), await withPin(damaged, "1111")]).toEqual(["00", "55"]);
    for (const pin of ["2222", "3333"]) await withPin(damaged, pin);
    expect(await withPin(damaged, "8271")).toBe("75");
    const made = await of.replace("lost");
    await activatePending(of);
    // There is none yet: also the right one of before is wrong.
    expect(await withPin(made, "8271")).toBe("55");
    const plastic = await plastics.at(programId, cardId, made.plasticId).require();
    expect(await set(toVaultCard(programId, plastic))).toBe("set");
    expect(await withPin(made, "8271")).toBe("00");
  });

  it("leaves its wrong codes behind; a number that is kept keeps them", async () => {
    const of = await given();
    for (let wrong = 1; wrong <= 5; wrong += 1)
      expect(await of.paid(of.first, typed(another(of.first.cvv, wrong)))).toBe("82");
    const damaged = await of.replace("damaged");
    await activatePending(of);
    expect(await of.paid(damaged, typed(damaged.cvv))).toBe("82");
    const made = await of.replace("lost");
    await activatePending(of);
    expect(await of.paid(made, typed(made.cvv))).toBe("00");
  });
});

describe("two plastics with one number", () => {
  it("are told apart by their expiry, before and after the activation", async () => {
    const of = await given();
    const made = await of.replace("damaged");
    const { cardNumber } = made;
    expect([cardNumber === of.first.cardNumber, made.expiry > of.first.expiry]).toEqual([true, true]);
    expect(await of.allPaid(of.first, made, { cardNumber })).toBe("00 78 00");
    await activatePending(of);
    expect(await of.allPaid(of.first, made, { cardNumber })).toBe("54 00 00");
    expect(await of.paid(of.first, recurring)).toBe("00");
    expect(await of.paid({ cardNumber, expiry: "9901" })).toBe("54");
  });

  it("have codes of their own", async () => {
    const of = await given();
    const made = await of.replace("renewed");
    await activatePending(of);
    expect(await of.paid(made, typed(made.cvv))).toBe("00");
    if (of.first.cvv !== made.cvv) expect(await of.paid(made, typed(of.first.cvv))).toBe("82");
  });

  it("are told apart by their codes where no expiry is sent", async () => {
    const of = await given();
    const made = await of.replace("damaged");
    if (of.first.cvv === made.cvv) return;
    const { cardNumber } = made;
    const answers = async (...cvvs: string[]) => {
      const codes: (string | undefined)[] = [];
      for (const cvv of cvvs) codes.push(await of.paid({ cardNumber }, typed(cvv)));
      return codes.join(" ");
    };
    const wrong = another(made.cvv, another(made.cvv) === of.first.cvv ? 2 : 1);
    expect(await answers(of.first.cvv, made.cvv, wrong)).toBe("00 78 82");
    await activatePending(of);
    expect(await answers(of.first.cvv, made.cvv, wrong)).toBe("54 00 82");
    expect(await of.paid({ cardNumber }, { ...typed(of.first.cvv), 61: recurring[61] })).toBe("00");
    const last = await of.replace("stolen");
    expect(await answers(of.first.cvv, made.cvv)).toBe("43 43");
    expect(await of.paid({ cardNumber: last.cardNumber }, typed(last.cvv))).toBe("78");
  });

  it("may be many: what recurs has any expiry; a code alone, the active one's and the one in the mail", async () => {
    const of = await given();
    const all = [of.first];
    for (let nth = 1; nth <= 6; nth += 1) {
      all.push(await of.replace(nth % 2 === 0 ? "damaged" : "renewed"));
      if (nth < 6) await activatePending(of);
    }
    const { cardNumber } = of.first;
    expect(new Set(all.map((one) => one.cardNumber))).toEqual(new Set([cardNumber]));
    expect(new Set(all.map(({ expiry }) => expiry)).size).toBe(7);
    const recurringAnswers = [];
    const typedAnswers = [];
    for (const one of all) {
      recurringAnswers.push(await of.paid(one, recurring));
      typedAnswers.push(await of.paid(one, typed(one.cvv)));
    }
    expect(recurringAnswers).toEqual(Array(7).fill("00"));
    expect(typedAnswers).toEqual([...Array(5).fill("54"), "00", "78"]);
    const codes = all.map(({ cvv }) => cvv);
    if (new Set(codes).size < codes.length) return;
    const [oldest, , , , , active, pending] = all;
    if (!active || !pending || !oldest) throw new Error("There are seven.");
    expect(await of.paid({ cardNumber }, typed(active.cvv))).toBe("00");
    expect(await of.paid({ cardNumber }, typed(pending.cvv))).toBe("78");
    expect(await of.paid({ cardNumber }, typed(oldest.cvv))).toBe("82");
  });
});
