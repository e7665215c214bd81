import { expect, test } from "vitest";
import { beginsSo, searchKey } from "../../../shared/lists/search-key.ts";

test.each([
  ["ß", "ss"],
  ["ẞ", "ss"],
  ["æÆ", "aeae"],
  ["œŒ", "oeoe"],
  ["øØ", "oo"],
  ["łŁ", "ll"],
  ["đĐ", "dd"],
  ["ðÐ", "dd"],
  ["þÞ", "thth"],
  ["ı", "i"],
  ["İ", "i"],
  ["ΟΔΟΣ", "οδοσ"],
  ["ὀδός", "οδοσ"],
  ["ÀÉÎõü", "aeiou"],
  ["ﬁ", "fi"],
  ["O'Brien’s", "obriens"],
  ["Anne-Marie  von –  Ost", "anne marie von ost"],
  ["ħŧ", "ħŧ"],
])("%s is searched as %s", (name, key) => {
  expect(searchKey(name)).toBe(key);
  expect(beginsSo(name)([name])).toBe(true);
});
