import type { Currency, EventType } from "../../shared/contract/enums.ts";
import * as enums from "../../shared/contract/enums.ts";
import { codeLabel } from "./labels.ts";
import type { Item } from "./page.ts";
import { money } from "./values.ts";

const amount = ({ amountMinor, currency }: Item) =>
  money(Number(amountMinor), currency as Currency | undefined);

const findCode = (codes: Readonly<Record<string, number>>, value: unknown) =>
  Object.keys(codes).find((code) => codes[code] === value) ?? String(value);

/** What people call a record, by its kind: pages begin with it, and show the id further down. */
const byKind: Readonly<Record<string, (item: Item) => string>> = {
  cards: ({ lastFour, cardHolderLastName }) => `•••• ${String(lastFour)}, ${String(cardHolderLastName)}`,
  wallets: ({ name }) => String(name),
  // The family name first, as lists are sorted.
  cardholders: ({ lastName, firstName }) =>
    [lastName, firstName].filter((one) => one !== undefined).join(", "),
  deposits: (item) => `${codeLabel(String(item.channel))}, ${amount(item)}`,
  suspense: (item) => `${codeLabel(String(item.channel))}, ${amount(item)}`,
  authorizations: (item) => nameMerchant(item),
  holds: (item) => nameMerchant(item),
  controls: ({ name }) => String(name),
  disputes: (item) => `${amount(item)}, ${codeLabel(String(item.reason)).toLowerCase()}`,
  tokens: ({ wallet, createdAt }) => `${codeLabel(String(wallet))} of ${String(createdAt).slice(0, 10)}`,
  authentications: ({ merchant, amountMinor, currency }) =>
    nameMerchant({ merchant, requestedAmount: amountMinor, currency }),
  plastics: ({ lastFour, expiryMonth, expiryYear }) =>
    `•••• ${String(lastFour)}, ${String(expiryMonth).padStart(2, "0")}/${String(expiryYear)}`,
  bulks: ({ kind, lines }) => `${codeLabel(String(kind))}, ${String(lines)} lines`,
  // Its holder need not be a Cardholder: people outside are on no page.
  externalAccounts: ({ country, lastFour }) => `${String(country)} •••• ${String(lastFour)}`,
  payouts: (item) => amount(item),
  pulls: (item) => amount(item),
  paymentFiles: ({ kind, date }) => `${String(kind)} of ${String(date)}`,
  reports: ({ reportKind, from }) => `${codeLabel(String(reportKind))} from ${String(from).slice(0, 10)}`,
  events: ({ kind }) => codeLabel(String(kind)),
  notifications: ({ eventType }) => codeLabel(findCode(enums.EventType, eventType as EventType)),
};

function nameMerchant({ merchant, requestedAmount, currency }: Item): string {
  const { merchantName } = Object(merchant) as { readonly merchantName?: string };
  const asked =
    requestedAmount === undefined ? undefined : money(Number(requestedAmount), currency as Currency);
  return [merchantName, asked].filter((part) => part !== undefined).join(", ");
}

/** Empty for one without a name. */
export function findName(kind: string, item: Item): string {
  return byKind[kind]?.(item) ?? "";
}
