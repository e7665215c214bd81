import type { BankDeposited } from "../../contract/bank.ts";
import { fromCreditorReference } from "../../contract/creditor-reference.ts";
import { type IdKind, idPrefixes, toId } from "../../contract/identifiers.ts";
import type { Account } from "../../ledger/account.ts";
import { isWalletId } from "../../ledger/journal-entry.ts";
import { type StoredTaker, takerAt } from "../takers.ts";

export interface Matched {
  readonly account: Account;
  readonly stored: StoredTaker;
  /** The words that named it, as they were written. */
  readonly reference: string;
}

/** More ids than a payer writes. */
const mostIds = 5;

/**
 * The Wallet or Card of the Program that the texts name: where a creditor's reference belongs, else
 * by a creditor reference, else by an id. Of several, none: nobody but the payer knows which.
 */
export async function matchAccount(
  programId: string,
  {
    creditorReferences = [],
    remittance,
    suspend,
  }: Pick<BankDeposited, "creditorReferences" | "remittance" | "suspend">,
): Promise<Matched | undefined> {
  if (suspend !== undefined) return undefined;
  const places = [
    [...findCreditorReferences(creditorReferences), ...findIds(creditorReferences, ["card", "wallet"])],
    findCreditorReferences(remittance),
    findIds(remittance, ["card", "wallet"]),
  ];
  for (const named of places) {
    const found = await readNamed(programId, named);
    if (found.length > 0) return found.length === 1 ? found[0] : undefined;
  }
  return undefined;
}

async function readNamed(programId: string, named: readonly Named[]): Promise<(Matched | undefined)[]> {
  const ids = new Map(named.map((one) => [one.id, one]));
  if (ids.size > mostIds) return [undefined, undefined];
  const found = await Promise.all(
    [...ids.values()].map(async ({ id: accountId, written }) => {
      const account: Account = { kind: isWalletId(accountId) ? "wallet" : "card", accountId };
      const stored = await takerAt(programId, account).get();
      return stored && { account, stored, reference: written };
    }),
  );
  return found.filter((one) => one !== undefined);
}

interface Named {
  readonly id: string;
  /** As it stands in the texts. */
  readonly written: string;
}

/**
 * What a pattern finds in texts, however they are written: with any mark for the underscore or
 * none, in any case, cut by blanks, lines and texts, with anything before and behind. Check
 * characters tell ids from all else.
 */
export function findWritten(
  texts: readonly string[],
  pattern: RegExp,
  read: (found: string, before: string) => string | undefined,
  prefix: ReadonlySet<string> = new Set(),
): Named[] {
  return waysToRead(texts).flatMap(({ plain, written }) =>
    [...plain.matchAll(pattern)].flatMap(({ index, groups: { found = "" } = {} }) => {
      const before = plain.slice(Math.max(0, index - prefixLength), index);
      const id = read(found, before);
      const start = prefix.has(before) ? index - prefixLength : index;
      return id === undefined ? [] : [{ id, written: written(start, index + found.length) }];
    }),
  );
}

/** The ids of these kinds. */
export function findIds(texts: readonly string[], kinds: readonly IdKind[]): Named[] {
  const toKind = (ulid: string, before: string) =>
    kinds
      // Beside the prefix of another kind, it is that kind's, and does not fit.
      .filter((kind) => before === plainPrefix(kind) || !prefixes.has(before))
      .map((kind) => toId(kind, ulid))
      .find((one) => one !== undefined);
  return findWritten(texts, /(?=(?<found>0[0-9A-HJKMNP-TV-Z]{25}))/g, toKind, prefixes);
}

/** The Wallets and Cards whose creditor references stand there. */
function findCreditorReferences(texts: readonly string[]): Named[] {
  return findWritten(texts, /(?=(?<found>RF\d\d[0-9A-HJKMNP-TV-Z]{21}))/g, fromCreditorReference);
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
  return unmarked === text ? [toLetters(text, text)] : [toLetters(text, text), toLetters(unmarked, text)];
}

function toLetters(text: string, original: string): Letters {
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
