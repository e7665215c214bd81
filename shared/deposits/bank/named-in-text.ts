import { fromCreditorReference } from "../../contract/creditor-reference.ts";
import { type IdKind, idOf, idPrefixes } from "../../contract/identifiers.ts";

export interface Named {
  readonly id: string;
  /** As it stands in the texts. */
  readonly written: string;
}

/**
 * The ids of these kinds in texts, however they are written: with any mark for the underscore or
 * none, in any case, cut by blanks, lines and texts, with anything before and behind. Their check
 * characters tell them from all else.
 */
export function findIds(texts: readonly string[], kinds: readonly IdKind[]): Named[] {
  return waysToRead(texts).flatMap((letters) => {
    const { plain } = letters;
    const found: Named[] = [];
    for (const { index, groups } of plain.matchAll(/(?=(?<ulid>0[0-9A-HJKMNP-TV-Z]{25}))/g)) {
      const { ulid = "" } = groups ?? {};
      const before = plain.slice(Math.max(0, index - prefixLength), index);
      const id = kinds
        // Beside the prefix of another kind, it is that kind's, and does not fit.
        .filter((kind) => before === plainPrefix(kind) || !prefixes.has(before))
        .map((kind) => idOf(kind, ulid))
        .find((one) => one !== undefined);
      const start = prefixes.has(before) ? index - prefixLength : index;
      if (id !== undefined) found.push({ id, written: letters.written(start, index + ulid.length) });
    }
    return found;
  });
}

/** The Wallets and Cards whose creditor references stand in texts, however they are written. */
export function findCreditorReferences(texts: readonly string[]): Named[] {
  return waysToRead(texts).flatMap((letters) =>
    [...letters.plain.matchAll(/(?=(?<found>RF\d\d[0-9A-HJKMNP-TV-Z]{21}))/g)].flatMap(
      ({ index, groups }) => {
        const { found = "" } = groups ?? {};
        const id = fromCreditorReference(found);
        return id === undefined ? [] : [{ id, written: letters.written(index, index + found.length) }];
      },
    ),
  );
}

/** The ids of deposits in texts. */
export function namedDeposits(texts: readonly string[]): string[] {
  return [...new Set(findIds(texts, ["deposit"]).map(({ id }) => id))];
}

const prefixLength = 3;
const prefixes = new Set((["card", "wallet", "deposit"] as const).map(plainPrefix));

function plainPrefix(kind: IdKind): string {
  return toPlain(idPrefixes[kind]);
}

interface Letters {
  /** Letters and digits alone. */
  readonly plain: string;
  /** The texts between two of them. */
  written(start: number, end: number): string;
}

/** With and without the marks of fields (`?21`) that some banks leave in a text. */
function waysToRead(texts: readonly string[]): Letters[] {
  const text = texts.join(" ");
  const unmarked = text.replace(/\?[2-6]\d/g, (mark) => " ".repeat(mark.length));
  return unmarked === text ? [lettersOf(text, text)] : [lettersOf(text, text), lettersOf(unmarked, text)];
}

function lettersOf(text: string, original: string): Letters {
  const places: number[] = [];
  let plain = "";
  let place = 0;
  for (const character of text) {
    for (const letter of toPlain(character)) {
      plain += letter;
      places.push(place);
    }
    place += character.length;
  }
  const written = (start: number, end: number) => original.slice(places[start], (places[end - 1] ?? 0) + 1);
  return { plain, written };
}

/** Ids have no I, L and O: these are misread 1 and 0. */
function toPlain(text: string): string {
  return text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, "")
    .replaceAll("O", "0")
    .replace(/[IL]/g, "1");
}
