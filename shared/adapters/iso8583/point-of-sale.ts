import type { EntryMode, Merchant, Unread } from "../../contract/card-network.ts";
import { country, maximumAmountMinor } from "../../contract/primitives.ts";
import type { Message } from "./codec.ts";
import type { Dialect } from "./dialects.ts";
import { de } from "./fields.ts";
import { type CardAcceptor, findLayout, type Layout } from "./layouts.ts";

type Fields = Message["fields"];

/** Where and how the card was presented, and what the terminal can do. */
export interface PointOfSale {
  readonly merchant: Merchant;
  readonly entryMode?: EntryMode;
  /** What was sent, and says nothing. */
  readonly unread?: Unread[];
  readonly supportsPartial: boolean;
  readonly cvv?: string;
}

export function readPointOfSale(fields: Fields, dialect: Dialect): PointOfSale {
  const layout = findLayout(dialect, fields);
  const acceptor = layout.readAcceptor(fields[43] ?? "");
  const mode = fields[22]?.slice(0, 2);
  const merchantCountry = country.safeParse(acceptor.country).data;
  const entryMode = readEntryMode(layout, mode);
  const unread: Unread[] = [
    ...(merchantCountry === undefined && acceptor.country !== "" ? (["merchantCountry"] as const) : []),
    ...(entryMode === undefined && mode !== undefined ? (["entryMode"] as const) : []),
  ];
  return {
    merchant: readMerchant(fields, { ...acceptor, merchantCountry }),
    ...(entryMode && { entryMode }),
    ...(unread.length > 0 && { unread }),
    supportsPartial: layout.supportsPartial,
    ...(layout.cvv !== undefined && /^\d{3}$/.test(layout.cvv) && { cvv: layout.cvv }),
  };
}

/** Whether a payment recurs has its own indicator: a stored credential does not tell it. */
function readEntryMode({ presence, entryModes }: Layout, mode: string | undefined): EntryMode | undefined {
  if (presence === "recurring") return "recurring";
  const known = mode === undefined ? undefined : entryModes[mode];
  return presence === "online" && (known ?? "keyed") === "keyed" ? "ecommerce" : known;
}

/** DE18, DE42 or DE41, and DE43. */
function readMerchant(
  fields: Fields,
  { name, city, merchantCountry }: CardAcceptor & Pick<Merchant, "merchantCountry">,
): Merchant {
  const [amount, billing] = [fields[de.amount], fields[de.billingAmount]];
  const [mcc, terminal, acceptor, currency] = [18, 41, 42, 49].map((field) => fields[field]);
  const texts = {
    merchantName: toText(name),
    mcc,
    merchantId: toText(acceptor) ?? toText(terminal),
    merchantCity: toText(city),
    merchantCountry,
  };
  const srcAmount = Number(amount ?? 0);
  const billed =
    amount !== undefined && billing !== undefined && currency !== undefined
      ? // It only informs: one that is too large to be recorded decides nothing.
        { ...(srcAmount <= maximumAmountMinor && { srcAmount }), srcCurrency: currency }
      : {};
  const known = Object.entries(texts).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...billed };
}

function toText(text = ""): string | undefined {
  const trimmed = text.replace(/[^ -~\xa0-\xff]/g, " ").trim();
  return trimmed === "" ? undefined : trimmed;
}
