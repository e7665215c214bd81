import { type CardOrWallet, cardOrWalletAt } from "../../cards/card.ts";
import type { BankDeposited } from "../../contract/bank.ts";
import { fromCreditorReference, fromDepositReference } from "../../contract/creditor-reference.ts";
import { currencyNames, DepositStatus } from "../../contract/enums.ts";
import { type IdKind, idPrefixes, toId } from "../../contract/identifiers.ts";
import type { Account } from "../../ledger/account.ts";
import { isWalletId } from "../../ledger/journal-entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import {
  byAccount,
  byReference,
  type Deposit,
  deposits,
  expectedDeposits,
  isAnnouncedFor,
  plainReference,
} from "../deposit.ts";

export interface Matched {
  readonly account: Account;
  readonly stored: CardOrWallet;
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
      const stored = await cardOrWalletAt(programId, account).get();
      return stored && { account, stored, reference: written };
    }),
  );
  return found.filter((one) => one !== undefined);
}

const mostTried = 100;

export interface Expected {
  readonly deposit: Deposit;
  /** Else another report has claimed it, or it has ended: what it says is the account. */
  readonly isOpen: boolean;
}

/**
 * The announced deposit that a report is about: by its creditor reference, its id, its reference,
 * or, if it is pending, by account and amount. Each is of one report alone.
 */
export async function findExpected(
  programId: string,
  event: BankDeposited,
  account: Account | undefined,
): Promise<Expected | undefined> {
  const [any] = await expectedDeposits.first(1, programId);
  const texts = [...(event.creditorReferences ?? []), ...event.remittance];
  const ids = [...new Set([...findDepositReferences(texts), ...namedDeposits(texts)])];
  if (!any && ids.length === 0) return undefined;
  const named = namesIn(event);
  const amountMinor = event.amount;
  const names = [...named.map(byReference), ...(account ? [byAccount(account.accountId, amountMinor)] : [])];
  const found = await Promise.all(names.map((name) => expectedDeposits.first(mostTried, programId, name)));
  const order = [...ids, ...found.flat().map(({ depositId }) => depositId)];
  const keys = [...new Set(order)].map((depositId) => deposits.at(programId, depositId).key);
  const stored = keys.length === 0 ? [] : (await readBatch(keys)).map((item) => deposits.parse(item));
  const known = order
    .map((depositId) => stored.find((one) => one.depositId === depositId))
    .filter((one) => one !== undefined)
    .filter(({ expiresAt }) => expiresAt !== undefined);
  const open = known.filter((one) => isOpen(one, event));
  const isById = ({ depositId }: Deposit) => ids.includes(depositId);
  const isOfNamed = (one: Deposit) => account !== undefined && isAnnouncedFor(one, account.accountId);
  // A client chooses its reference: it takes nothing from the account that the payer names.
  const hasReference = (one: Deposit) => named.includes(plainReference(one.reference) ?? "");
  const isNamed = (one: Deposit) => isById(one) || (hasReference(one) && (!account || isOfNamed(one)));
  const isExact = (one: Deposit) => one.amountMinor === amountMinor;
  const byName = open.filter(isNamed);
  const claimed = byName.find(isById) ?? byName.find(isExact) ?? byName[0];
  if (claimed) return { deposit: claimed, isOpen: true };
  const over = known.filter(isNamed);
  const isOfOne = new Set(over.map((one) => one.account.accountId)).size === 1;
  if (over[0] && isOfOne) return { deposit: over[0], isOpen: false };
  const byAmount = open.find((one) => isOfNamed(one) && isExact(one) && isPending(one));
  return byAmount && { deposit: byAmount, isOpen: true };
}

const isPending = ({ status }: Deposit) => status === DepositStatus.pending;

/** What a simulated bank has cleared is the same money only if the amount is. */
function isOpen(deposit: Deposit, { amount, currency }: BankDeposited): boolean {
  const { status, expiresAt, isReported, amountMinor, returnedMinor } = deposit;
  if (expiresAt === undefined || isReported) return false;
  if (currencyNames[deposit.currency] !== currency) return false;
  const isSimulated = status === DepositStatus.cleared && amountMinor === amount && !returnedMinor;
  return isSimulated || (isPending(deposit) && timestamp() <= expiresAt);
}

const mostNames = 40;

/** Whole texts, and up to four words that follow each other: those with a digit first. */
function namesIn({ remittance, references }: BankDeposited): string[] {
  const texts = [...remittance, references.endToEnd ?? "", references.instruction ?? ""];
  const runs = remittance.flatMap((text) => {
    const words = text.split(/\s+/);
    return words.flatMap((_, from) => [1, 2, 3, 4].map((count) => words.slice(from, from + count).join("")));
  });
  const digitsFirst = [/\d/, /^\D*$/].flatMap((kind) => runs.filter((run) => kind.test(run)));
  const names = [...texts, remittance.join(""), ...digitsFirst].map(plainReference);
  return [...new Set(names.filter((one) => one !== undefined))].slice(0, mostNames);
}

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
function findIds(texts: readonly string[], kinds: readonly IdKind[]): Named[] {
  return waysToRead(texts).flatMap((letters) => {
    const { plain } = letters;
    const found: Named[] = [];
    for (const { index, groups } of plain.matchAll(/(?=(?<ulid>0[0-9A-HJKMNP-TV-Z]{25}))/g)) {
      const { ulid = "" } = groups ?? {};
      const before = plain.slice(Math.max(0, index - prefixLength), index);
      const id = kinds
        // Beside the prefix of another kind, it is that kind's, and does not fit.
        .filter((kind) => before === plainPrefix(kind) || !prefixes.has(before))
        .map((kind) => toId(kind, ulid))
        .find((one) => one !== undefined);
      const start = prefixes.has(before) ? index - prefixLength : index;
      if (id !== undefined) found.push({ id, written: letters.written(start, index + ulid.length) });
    }
    return found;
  });
}

/** The Wallets and Cards whose creditor references stand in texts, however they are written. */
function findCreditorReferences(texts: readonly string[]): Named[] {
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

/** The deposits whose creditor references stand in texts, however they are written. */
function findDepositReferences(texts: readonly string[]): string[] {
  return waysToRead(texts).flatMap(({ plain }) =>
    [...plain.matchAll(/(?=(?<found>RF\d\d[0-9A-HJKMNP-Z]{21}))/g)]
      .map(({ groups }) => fromDepositReference(groups?.found ?? ""))
      .filter((id) => id !== undefined),
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
