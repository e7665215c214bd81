import { authenticationList, readAuthenticationKeys } from "../../shared/authentications/authentication.ts";
import { chooseCountedList } from "../../shared/authorizations/holds/counted-list.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { findCardRecords, listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { controlList, controls, readControlKeys } from "../../shared/controls/control.ts";
import { accountDepositList } from "../../shared/deposits/deposit.ts";
import { walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { programLists, walletLists } from "../../shared/list-kinds.ts";
import { type ListKind, listAttributes } from "../../shared/lists/entry.ts";
import type { Records } from "../../shared/lists/list-page.ts";
import { accountUpdateList, accountUpdates } from "../../shared/plastics/account-update.ts";
import { readTokenKeys, tokenList } from "../../shared/tokens/token.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { holdList, transactionList } from "../../shared/transactions/transaction.ts";
import { transferList } from "../../shared/wallets/transfer.ts";
import { codeLabel } from "./labels.ts";
import { isStatus } from "./statuses.ts";

/** A list as a table. Its filters and orders are those of its kind. */
export interface ListView {
  readonly kind: ListKind;
  /** What the records are called, on pages and in codes. */
  readonly name: string;
  readonly title: string;
  /** The attribute with the id that pages have: `entityId` unless the record has another. */
  readonly id: string;
  /** The attributes that are shown, and no others. */
  readonly columns: readonly string[];
  readonly records: Records | Promise<Records>;
  /** The account whose list it is. */
  readonly owner?: string | undefined;
}

/** What each list shows beside its id, its own attributes and the time of creation. */
const moreColumns: Readonly<Record<string, readonly string[]>> = {
  bulks: ["lines", "done", "succeeded", "duplicates", "failed", "doneAt"],
  cards: ["lastFour", "cardForm", "currency"],
  cardholders: ["firstName", "openCards"],
  wallets: ["name", "currency"],
  transactions: ["type", "interchangeMinor", "merchantName", "description", "declineReason"],
  fees: ["description", "relatedTransId", "reversedBy"],
  deposits: ["account", "reference"],
  controls: ["cardId", "cardholderId"],
  disputes: ["cardId", "reason", "referenceCode"],
  reports: ["format", "from", "to", "rows", "bytes", "doneAt"],
  suspense: ["amountMinor", "status", "reason", "channel", "account"],
  transfers: ["destinationId", "transferredAmountMinor", "declineReason", "memo"],
  walletTransactions: ["relatedId", "description"],
};

const ids: Readonly<Record<string, string>> = { suspense: "suspenseId", counted: "transId" };

/**
 * Hidden: internal attributes of list entries, and personal data that operators do not need.
 */
const hiddenColumns: ReadonlySet<string> = new Set(["storedIn", "bodySha256", "email", "phone"]);

function toView(kind: ListKind, records: ListView["records"], title: string, name = kind.name): ListView {
  const attributes = listAttributes(kind).filter((attribute) => !hiddenColumns.has(attribute));
  const id = ids[name] ?? "entityId";
  const amounts = attributes.filter((attribute) => attribute.endsWith("Minor"));
  const named = ["createdAt", ...amounts, ...attributes, ...(moreColumns[name] ?? []), id];
  const owner = "list" in records ? records.list?.owner : undefined;
  const columns = [...new Set(named)].toSorted((one, other) => findPlace(one, id) - findPlace(other, id));
  return { kind, name, title, id, records, owner, columns };
}

/** Whom or what a record is about. */
const names = /^(merchantName|firstName|lastName|cardHolderLastName|nickname|name|lastFour)$/;

export function isName(attribute: string): boolean {
  return names.test(attribute);
}

const types = /^(transType|feeType|type|eventType|channel|kind|reportKind|wallet|network|accountType)$/;

/** Time, name, type, amount and status come first, ids last. */
function findPlace(attribute: string, id: string): number {
  if (attribute === id) return 7;
  if (attribute === "createdAt") return 0;
  if (isName(attribute)) return 1;
  if (types.test(attribute)) return 2;
  if (/^(amountMinor|requestedMinor|requestedAmountMinor)$/.test(attribute)) return 3;
  if (isStatus(attribute)) return 4;
  return /(Id|Sha256|sha256|endToEndId)$/.test(attribute) ? 6 : 5;
}

const titles: Readonly<Record<string, string>> = {
  notifications: "Webhooks",
  walletTransactions: "Transactions",
};

/** What a list is called, by the name of its kind. */
export function toListTitle(name: string): string {
  return titles[name] ?? codeLabel(name);
}

/** The sum of open holds is a list of one entry, which pages cannot show. */
export const shownLists: readonly ListKind[] = programLists.filter((kind) => kind !== holdList);

/** By the kind's name. */
export function findProgramList(programId: string, name: string): ListView | undefined {
  const kind = shownLists.find((one) => one.name === name);
  return kind && toView(kind, { list: { programId, kind } }, toListTitle(kind.name));
}

/** What is listed of one record, by the name in its page's path. */
export async function findOwnedList(
  programId: string,
  owner: string,
  name: string,
): Promise<ListView | undefined> {
  const prefix = owner.split("_")[0];
  if (prefix === idPrefixes.card) return cardView(programId, owner, name);
  if (prefix === idPrefixes.cardholder && name === "cards") {
    const cardIds = await listCardIds(programId, owner);
    const keys = cardIds.map((cardId) => cards.key(programId, cardId));
    return toView(cardList, { keys }, "Cards");
  }
  if (prefix === idPrefixes.cardholder && name === "controls") return controlView(programId, owner);
  if (prefix === idPrefixes.wallet) return walletView(programId, owner, name);
  if (prefix === idPrefixes.control && name === "counted") {
    const kind = chooseCountedList((await controls.at(programId, owner).get()) ?? {});
    return toView(kind, { list: { programId, kind, owner } }, "Counted transactions", "counted");
  }
  return undefined;
}

async function cardView(programId: string, cardId: string, name: string): Promise<ListView | undefined> {
  const scope = { programId, cardId };
  if (name === "transactions")
    return toView(transactionList, findCardRecords(transactionList, scope), "Transactions");
  if (name === "fees") return toView(feeList, findCardRecords(feeList, scope), "Fees");
  if (name === "deposits") return depositView(programId, cardId);
  return name === "controls" ? controlView(programId, cardId) : cardRecordsView(programId, cardId, name);
}

/** Those that are found by pointers of the Card. */
async function cardRecordsView(
  programId: string,
  cardId: string,
  name: string,
): Promise<ListView | undefined> {
  switch (name) {
    case "tokens":
      return toView(tokenList, { keys: await readTokenKeys(programId, [cardId]) }, "Tokens");
    case "authentications": {
      const keys = await readAuthenticationKeys(programId, [cardId]);
      return toView(authenticationList, { keys }, "Authentications");
    }
    case "accountUpdates": {
      const given = await accountUpdates.list(programId, cardId);
      return toView(accountUpdateList, { given }, "Account updates");
    }
    default:
      return undefined;
  }
}

function walletView(programId: string, owner: string, name: string): ListView | undefined {
  if (name === "deposits") return depositView(programId, owner);
  const kind = walletLists.find((one) => one.name === name);
  if (kind !== transferList && kind !== walletTransactionList) return undefined;
  return toView(
    kind,
    { list: { programId, kind, owner } },
    kind === transferList ? "Transfers" : "Transactions",
  );
}

function depositView(programId: string, owner: string): ListView {
  const list = { programId, kind: accountDepositList, owner };
  return toView(accountDepositList, { list }, "Deposits", "deposits");
}

async function controlView(programId: string, owner: string): Promise<ListView> {
  return toView(controlList, { keys: await readControlKeys(programId, owner) }, "Controls");
}
