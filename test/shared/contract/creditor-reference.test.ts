import { describe, expect, it } from "vitest";
import {
  fromCreditorReference,
  fromDepositReference,
  toCreditorReference,
  toDepositReference,
} from "../../../shared/contract/creditor-reference.ts";
import { computeCheck, toId, ulidAlphabet } from "../../../shared/contract/identifiers.ts";
import { depositReference } from "../../../shared/contract/primitives.ts";
import { newId, withoutPrefix } from "../../../shared/platform/id.ts";

const others = (text: string) =>
  Array.from(text, (character, at) =>
    [...ulidAlphabet]
      .filter((one) => one !== character)
      .map((one) => text.slice(0, at) + one + text.slice(at + 1)),
  ).flat();

const swapped = (text: string) =>
  Array.from(
    { length: text.length - 1 },
    (_, at) => text.slice(0, at) + text.charAt(at + 1) + text.charAt(at) + text.slice(at + 2),
  ).filter((one) => one !== text);

describe("an id", () => {
  it("is in order with those of its process, and has check characters", () => {
    const ids = Array.from({ length: 1_000 }, () => newId("card"));
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const id of ids) expect(toId("card", withoutPrefix(id))).toBe(id);
  });

  it("is none with another character, two in turn, or of another kind", () => {
    const id = newId("wallet");
    const ulid = withoutPrefix(id);
    const wrong = [...others(ulid), ...swapped(ulid)].filter((one) => toId("wallet", one) !== undefined);
    expect([wrong, toId("card", ulid), toId("deposit", ulid)]).toEqual([[], undefined, undefined]);
  });
});

describe("a creditor reference", () => {
  // The check digits of the second are those of ISO 11649 by hand: 98 - (… mod 97).
  it.each([
    ["crd_01J9ZC3P2V8Q4N6T0B5W7XST6G", "RF26HJ9ZC3P2V8Q4N6T0B5W7X"],
    ["wlt_01J9ZC3P2V8Q4N6T0B5W7XYGD4", "RF811J9ZC3P2V8Q4N6T0B5W7X"],
  ])("of %s is %s", (id, reference) => {
    expect([toCreditorReference(id), fromCreditorReference(reference)]).toEqual([reference, id]);
    const moved = reference.slice(4) + reference.slice(0, 4);
    const digits = moved.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
    expect(BigInt(digits) % 97n).toBe(1n);
  });

  it("is another one for each Wallet and Card, of at most 25 characters", () => {
    const ids = [1, 2, 3].flatMap(() => [newId("card"), newId("wallet")]);
    const references = ids.map((id) => toCreditorReference(id) ?? "");
    expect(new Set(references).size).toBe(ids.length);
    expect(references.map(fromCreditorReference)).toEqual(ids);
    for (const reference of references) expect(reference).toMatch(/^RF\d\d[0-9A-Z]{21}$/);
  });

  // A letter counts as two digits: of those that replace a digit, one in 97 fits.
  it("is nobody's with another letter or digit, or two in turn", () => {
    const body = toCreditorReference(newId("card"))?.slice(4) ?? "";
    const reference = toCreditorReference(newId("card")) ?? "";
    const shape = (text: string) => text.replace(/\d/g, "0").replace(/[A-Z]/g, "A");
    const wrong = [...others(reference.slice(4)), ...swapped(reference.slice(4))]
      .filter((one) => shape(one) === shape(reference.slice(4)))
      .map((one) => fromCreditorReference(reference.slice(0, 4) + one))
      .filter((one) => one !== undefined);
    expect([wrong, fromCreditorReference(`RF00${body}`)]).toEqual([[], undefined]);
  });

  it("of an announced deposit has a U, and is no Wallet's or Card's", () => {
    const ids = Array.from({ length: 16 }, (_, at) => {
      const body = `0${ulidAlphabet.charAt(at)}9ZC3P2V8Q4N6T0B5W7XZ`;
      return `dep_${body}${computeCheck("deposit", body)}`;
    });
    const references = ids.map((id) => toDepositReference(id) ?? "");
    expect(references[1]).toMatch(/^RF\d\d9UZC3P2V8Q4N6T0B5W7XZ$/);
    expect(references.map(fromDepositReference)).toEqual(ids);
    expect(references.map(fromCreditorReference)).toEqual(ids.map(() => undefined));
    for (const reference of references) expect(depositReference.parse(reference)).toBe(reference);
    const [card = ""] = [toCreditorReference(newId("card"))];
    expect([fromDepositReference(card), toDepositReference(newId("card"))]).toEqual([undefined, undefined]);
    const [, one = ""] = references;
    expect(
      fromDepositReference(`RF${one.slice(2, 4) === "11" ? "12" : "11"}${one.slice(4)}`),
    ).toBeUndefined();
  });

  it("is of Wallets and Cards alone, whose ids have check characters", () => {
    expect(toCreditorReference(newId("deposit"))).toBeUndefined();
    expect(toCreditorReference("crd_01J9ZC3P2V8Q4N6T0B5W7XKD1M")).toBeUndefined();
  });
});
