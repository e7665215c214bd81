/** What every bank of SEPA carries unchanged: EPC217-08. */
const carried = /^[A-Za-z0-9/\-?:().,'+ ]$/;

/** Marks that stand for something, as EPC217-08 converts them. */
const marks = [
  `&=+ @=(at) _=- €=E !=. "=' #=. $=. %=. *=. ;=, <=( >=) ==. [=( ]=) {=( }=) |=/ \\=/ ~=- ^=.`,
  `\`=' ’=' ‘=' ʼ=' ʻ=' “=' ”=' „=' «=' »=' ´=' ‐=- ‑=- –=- —=- −=- ·=. ¡=? ¿=?`,
];

/** Latin letters that Unicode does not decompose, and those that are written as two. */
const latin = ["ä=ae ö=oe ü=ue ß=ss æ=ae œ=oe ø=o å=a þ=th ð=d đ=d ł=l ħ=h ŧ=t ŋ=n ı=i ĸ=k ə=e ƒ=f ĳ=ij"];

const greek = [
  "α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f",
  "χ=ch ψ=ps ω=o",
];

const cyrillic = [
  "а=a б=b в=v г=g д=d е=e ё=e ж=zh з=z и=i й=y к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=h",
  "ц=ts ч=ch ш=sh щ=sht ъ=a ы=y ь= э=e ю=yu я=ya є=ye і=i ї=yi ґ=g ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz",
  "ў=u ѓ=gj ќ=kj ѕ=dz",
];

/** By the letter or mark: how it is written. */
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  [...marks, ...latin, ...greek, ...cyrillic]
    .flatMap((line) => line.split(" "))
    .map((pair) => [pair.charAt(0), pair.slice(2)]),
);

/**
 * The text in the characters that every bank carries, at most so many. An accent is left out, a
 * letter of another alphabet is written in Latin, and what has no such letter becomes a dot.
 */
export function toSepaText(text: string, longest: number): string {
  const plain = [...text.normalize("NFC")].map(toCarried).join("");
  return plain.replace(/ +/g, " ").trim().slice(0, longest).trim();
}

function toCarried(character: string): string {
  if (carried.test(character)) return character;
  if (/^[\s\p{C}]$/u.test(character)) return " ";
  const written = findLetters(character);
  if (written !== undefined) return written;
  const parts = [...character.normalize("NFKD").replace(/\p{M}/gu, "")];
  return parts.map((part) => (carried.test(part) ? part : (findLetters(part) ?? "."))).join("");
}

/** A capital letter is written with a capital letter. */
function findLetters(character: string): string | undefined {
  const own = letters[character];
  if (own !== undefined) return own;
  const small = character.toLowerCase();
  const written = small === character ? undefined : letters[small];
  return written && written.charAt(0).toUpperCase() + written.slice(1);
}
