import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameKey } from "../../../shared/lists/entry.ts";

const sorted = (names: readonly string[]) =>
  names.toSorted((left, right) => (nameKey(left) < nameKey(right) ? -1 : 1));

describe("the order of names", () => {
  it.each([
    [["Abalos", "ábalos", "de Souza", "Öztürk", "Zimmer"]],
    [["Dávila", "De Vries", "de Vries", "Dekker", "DeVries"]],
    [["Lund", "Łukasz", "Lyon"].toSorted(new Intl.Collator("en").compare)],
    [["Straßer", "Strasser-Ohm", "Strasshof", "Strömberg"].toSorted(new Intl.Collator("en").compare)],
    [["Aesop", "Æthelred", "Afra", "Østergaard", "Otto"].toSorted(new Intl.Collator("en").compare)],
    [["O'Brien", "O’Dell", "Oakes"].toSorted(new Intl.Collator("en").compare)],
    [["Иванов", "Йонов", "иванова"].toSorted(new Intl.Collator("ru").compare)],
    [["", "A"]],
  ])("is %j", (names) => {
    expect(sorted(names.toReversed())).toEqual(names);
  });

  it("tells different names apart, and no name from itself", () => {
    const name = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\u0000"));
    fc.assert(
      fc.property(name, name, (left, right) => {
        expect(nameKey(left) === nameKey(right)).toBe(left === right);
      }),
    );
  });
});
