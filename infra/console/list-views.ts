import { authenticationList, readAuthenticationKeys } from "../../shared/authentications/authentication.ts";
import { chooseCountedList } from "../../shared/authorizations/holds/counted-list.ts";
import { holdList } from "../../shared/authorizations/holds/hold.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { findCardRecords, listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { controlList, controls, readControlKeys } from "../../shared/controls/control.ts";
import { accountDepositList } from "../../shared/deposits/deposit.ts";
import { walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { programLists } from "../../shared/list-kinds.ts";
import { type ListKind, listAttributes } from "../../shared/lists/kind.ts";
import type { Records } from "../../shared/lists/list-page.ts";
import { accountUpdateList, accountUpdates } from "../../shared/plastics/plastic.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { readTokenKeys, tokenList } from "../../shared/tokens/token.ts";
import { feeList } from "../../shared/transactions/fee.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { codeLabel } from "./labels.ts";
import { isStatus } from "./values.ts";

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
  authorizations: ["merchant.merchantName", "cardId"],
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

/** Internal attributes of list entries, and personal data that operators do not need. */
const hiddenColumns: ReadonlySet<string> = new Set([
  ...["storedIn", "bodySha256", "soughtLastName", "soughtName", "email", "phone"],
]);

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
const names = /^((merchant\.)?merchantName|firstName|lastName|cardHolderLastName|nickname|name|lastFour)$/;

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

type FindOwned = (programId: string, owner: string) => ListView | Promise<ListView>;

/** The list of an account, or of another record. */
const listOf =
  (kind: ListKind, title: string, name?: string): FindOwned =>
  (programId, owner) =>
    toView(kind, { list: { programId, kind, owner } }, title, name);

/** A few records, whose keys are read. */
const few =
  (
    kind: ListKind,
    title: string,
    readKeys: (programId: string, owner: string) => Promise<Key[]>,
  ): FindOwned =>
  async (programId, owner) =>
    toView(kind, { keys: await readKeys(programId, owner) }, title);

const ofCard =
  (kind: typeof transactionList | typeof feeList, title: string): FindOwned =>
  (programId, cardId) =>
    toView(kind, findCardRecords(kind, { programId, cardId }), title);

const ownDeposits = listOf(accountDepositList, "Deposits", "deposits");
const ownControls = few(controlList, "Controls", readControlKeys);

/** What is listed of a record: by the prefix of its id, and by the name in its page's path. */
const owned: Readonly<Record<string, Readonly<Record<string, FindOwned>>>> = {
  [idPrefixes.card]: {
    transactions: ofCard(transactionList, "Transactions"),
    fees: ofCard(feeList, "Fees"),
    deposits: ownDeposits,
    controls: ownControls,
    tokens: few(tokenList, "Tokens", (programId, cardId) => readTokenKeys(programId, [cardId])),
    authentications: few(authenticationList, "Authentications", (programId, cardId) =>
      readAuthenticationKeys(programId, [cardId]),
    ),
    accountUpdates: async (programId, cardId) =>
      toView(accountUpdateList, { given: await accountUpdates.list(programId, cardId) }, "Account updates"),
  },
  [idPrefixes.cardholder]: {
    cards: few(cardList, "Cards", async (programId, cardholderId) =>
      (await listCardIds(programId, cardholderId)).map((cardId) => cards.key(programId, cardId)),
    ),
    controls: ownControls,
  },
  [idPrefixes.wallet]: {
    deposits: ownDeposits,
    transfers: listOf(transferList, "Transfers"),
    walletTransactions: listOf(walletTransactionList, "Transactions"),
  },
  [idPrefixes.control]: {
    counted: async (programId, owner) => {
      const kind = chooseCountedList((await controls.at(programId, owner).get()) ?? {});
      return listOf(kind, "Counted transactions", "counted")(programId, owner);
    },
  },
};

/** Undefined for a record, or a name, that has no list. Both are what an address names. */
export async function findOwnedList(
  programId: string,
  owner: string,
  name: string,
): Promise<ListView | undefined> {
  const prefix = owner.split("_")[0] ?? "";
  const lists = Object.hasOwn(owned, prefix) ? owned[prefix] : undefined;
  return lists && Object.hasOwn(lists, name) ? lists[name]?.(programId, owner) : undefined;
}
