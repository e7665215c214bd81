/** What WinAnsi (code page 1252) has above 0x7f beside Latin-1. */
const others = new Set("€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ");

/** Latin letters that have no decomposition. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ł: "l", Ł: "L", đ: "d", Đ: "D", ħ: "h", Ħ: "H", ı: "i", ŧ: "t", Ŧ: "T", ŋ: "n", Ŋ: "N" },
};

/** The text in the characters of the standard fonts: other Latin letters lose their accents. */
export function toWinAnsi(text: string): string {
  return [...text.normalize("NFC")].map(toCharacter).join("");
}

function toCharacter(character: string): string {
  if (isKnown(character)) return character;
  const [base = ""] = character.normalize("NFKD");
  const plain = plainLetters[base] ?? base;
  return isKnown(plain) ? plain : "?";
}

function isKnown(character: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]$/.test(character) || others.has(character);
}
