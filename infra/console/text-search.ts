import { cardholderList, cardholders, emailKey, phoneKey } from "../../shared/cardholders/cardholder.ts";
import { soughtPerson } from "../../shared/cardholders/sought-person.ts";
import { cards } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import type { NamedKind } from "../../shared/contract/primitives.ts";
import type { ListKind, StoredRecord } from "../../shared/lists/kind.ts";
import type { Sought } from "../../shared/lists/sought.ts";
import { findByExternalId } from "../../shared/platform/labels.ts";
import { transactionList } from "../../shared/transactions/transaction.ts";
import { inTurns, readList } from "./in-turns.ts";
import { entryHref } from "./journal.ts";
import { codeLabel } from "./labels.ts";
import { findName } from "./names.ts";
import type { Link } from "./page.ts";
import { recordViews } from "./record-views.ts";
import { hrefOfId, money } from "./values.ts";

/** What is found, and what was not looked at. */
export interface FoundByText {
  readonly links: readonly Link[];
  readonly note?: string;
}

type Find = (programId: string, text: string) => Promise<FoundByText>;

const most = 20;

/** By which form a text is searched; the first that fits. */
const forms: readonly (readonly [RegExp, Find])[] = [
  [
    /^[^@\s]+@[^@\s]+$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "email", is: emailKey(text) }]]),
  ],
  [
    /^\+\d{6,15}$/,
    (programId, text) => findCardholders(programId, [[{ attribute: "phone", is: phoneKey(text) }]]),
  ],
  [/^[−-]?[\d,]+\.\d\d( ?[A-Za-z]{3})?$/, findAmounts],
  [/^(•{4} ?)?\d{4}$/, findCards],
  [/^[\p{L}][\p{L}\p{M}\s'’.-]+$/u, (programId, text) => findCardholders(programId, soughtPerson(text))],
];

/** People, Cards and transactions by what is written of them, in one Program. */
export async function findByText(programId: string, text: string): Promise<FoundByText> {
  const [, find] = forms.find(([form]) => form.test(text)) ?? [];
  const [found, named] = await Promise.all([find?.(programId, text), findExternal(programId, text)]);
  return { ...named, ...found, links: [...(found?.links ?? []), ...named.links] };
}

async function findIn(
  programId: string,
  kind: ListKind,
  sought: readonly Sought[],
  toLink: (record: StoredRecord) => Link,
): Promise<FoundByText> {
  const { items, total } = await readList(programId, kind, {
    ...{ sortKeys: kind.sortKeys, sought, view: toLink, limit: most },
  });
  const count = `${total.toLocaleString("en")} ${kind.name}`;
  return { links: items, ...(total > most && { note: `The newest ${most} of ${count} are shown.` }) };
}

const findCardholders = (programId: string, sought: readonly Sought[]) =>
  findIn(programId, cardholderList, sought, (stored) =>
    toLink("cardholders", programId, cardholders.parse(stored)),
  );

function findCards(programId: string, text: string): Promise<FoundByText> {
  const sought = [[{ attribute: "lastFour", is: text.slice(-4) }]];
  return findIn(programId, cardList, sought, (stored) => toLink("cards", programId, cards.parse(stored)));
}

function toLink(kind: string, programId: string, record: { readonly entityId: string }): Link {
  const title = recordViews[kind]?.title ?? kind;
  return { text: `${title} ${findName(kind, { ...record })}`, href: hrefOfId(record.entityId, programId) };
}

/** Transactions of exactly this amount, whichever way it went. */
function findAmounts(programId: string, text: string): Promise<FoundByText> {
  const minor = Math.round(Number(text.replaceAll(/[^\d.]/g, "")) * 100);
  const sought = [[{ attribute: "amountMinor", from: minor, to: minor }]];
  return findIn(programId, transactionList, sought, (item) => ({
    text: `${money(minor, undefined)}, ${String(item.merchantName ?? item.description)}, ${String(item.createdAt).slice(0, 16).replace("T", " ")}`,
    href: entryHref(programId, item) ?? hrefOfId(String(item.cardId), programId),
  }));
}

/** The kinds that a client gives ids to. Several deposits may have the same. */
const externals: readonly NamedKind[] = [
  ...([
    "cardholder",
    "card",
    "wallet",
    "control",
    "dispute",
    "transfer",
    "payout",
    "pull",
    "deposit",
  ] as const),
];

async function findExternal(programId: string, text: string): Promise<FoundByText> {
  if (text.length > 64) return { links: [] };
  const found = await inTurns(externals, async (kind) =>
    (await findByExternalId(programId, kind, text)).map(({ recordId }) => ({ page: `${kind}s`, recordId })),
  );
  // Ids sort by time.
  const newest = found.slice(-most);
  const links = await Promise.all(
    newest.map(async ({ page, recordId }) => {
      const record = await recordViews[page]?.read(programId, recordId);
      const name = record ? findName(page, record) : recordId;
      const title = recordViews[page]?.title ?? codeLabel(page);
      return { text: `${title} ${name}, external id ${text}`, href: hrefOfId(recordId, programId) };
    }),
  );
  const note = `The newest ${most} of ${found.length.toLocaleString("en")} records with this external id are shown.`;
  return { links, ...(found.length > most && { note }) };
}
