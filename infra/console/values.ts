import * as enums from "../../shared/contract/enums.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { codeLabel, toLabel } from "./labels.ts";
import { type Cell, type Tone, toHref } from "./page.ts";

const codes: Readonly<Record<Tone, string>> = {
  good: `active approved cleared completion done succeeded won verified uploaded delivered completed collected
    assigned authenticated exempted trusted issuing received consumed resolved shipped duplicate`,
  wait: `pending draft underReview onHold notActivated running open new pending_customer submitted representment
    pre_arbitration arbitration challenged attempted verifying awaiting_approval sent partial`,
  bad: `declined complianceDecline adminDecline error failed rejected lost revoked stopped suspended`,
  over: `closed deleted reversed returned expired removed withdrawn replaced archived cancelled`,
};

/** What a status means to who reads it, by its code. */
export const tones: ReadonlyMap<string, Tone> = new Map(
  (Object.keys(codes) as Tone[]).flatMap((tone) =>
    codes[tone].split(/\s+/).map((code): [string, Tone] => [code, tone]),
  ),
);

const attributes = /^(status|state|(card|issuerCard|trans|otp|previous)Status|stoppedFor)$/;

export function isStatus(attribute: string): boolean {
  return attributes.test(attribute.split(".").at(-1) ?? attribute);
}

/** What a stored value means: whose it is, and in which currency. */
export interface Context {
  /** The kind of record, such as `cards`: attributes of the same name differ between kinds. */
  readonly kind: string;
  readonly programId?: string | undefined;
  readonly currency?: enums.Currency | undefined;
  /** Where the journal entries behind an amount are. */
  readonly amountHref?: string | undefined;
}

/** What a record has at a path such as `merchant.mcc`. */
export function valueAt(record: object, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, part) => Object(inner)[part], record);
}

type Codes = Readonly<Record<string, number>>;

const codesByAttribute: Readonly<Record<string, Codes>> = {
  ...{ cardStatus: enums.CardApprovalStatus, issuerCardStatus: enums.CardStatus },
  ...{ cardForm: enums.CardForm, currency: enums.Currency },
  ...{ eventType: enums.EventType, eventTypes: enums.EventType },
  ...{ feeType: enums.FeeType, issuanceApproval: enums.IssuanceApproval },
  priority: enums.TicketPriority,
  transStatus: enums.TransactionStatus,
  ...{ disputedType: enums.TransactionType, transType: enums.TransactionType },
  destinationType: enums.DestinationType,
  ...{ "cardholders.status": enums.CardholderStatus, "audit.cardholder.status": enums.CardholderStatus },
  ...{ "deposits.status": enums.DepositStatus, "audit.deposit.status": enums.DepositStatus },
  ...{ "suspense.status": enums.SuspenseStatus, "audit.suspense.status": enums.SuspenseStatus },
  "audit.card-design.status": enums.DesignStatus,
  "transfers.transStatus": enums.TransferStatus,
};

/** The names of an attribute's codes, if it is a code. */
export function listCodes(kind: string, attribute: string): Codes | undefined {
  return codesByAttribute[`${kind}.${attribute}`] ?? codesByAttribute[attribute];
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const identifier = new RegExp(`^(${Object.values(idPrefixes).join("|")})_[0-9A-HJKMNP-TV-Z]{26}$`);

/** A stored value for people. Amounts, ids and codes are known by their names and forms. */
export function toCell(context: Context, attribute: string, value: unknown): Cell {
  if (value === undefined || value === null || value === "") return { text: "–" };
  if (Array.isArray(value)) {
    if (value.length === 0) return { text: "–" };
    return value.map((one) => toCell(context, attribute, one));
  }
  if (typeof value === "object") return objectCell(context, value);
  const name = attribute.split(".").at(-1) ?? attribute;
  if (typeof value === "number") return numberCell(context, attribute, value);
  if (typeof value === "boolean") return { text: value ? "yes" : "no" };
  const text = String(value);
  if (isoTime.test(text)) return { time: text };
  if (name === "url") return { text: withoutSecrets(text) };
  if (isStatus(name)) return statusCell(text);
  if (codedTexts.has(name) && /^[A-Za-z_]+$/.test(text)) return { text: codeLabel(text) };
  return { text, href: leadsSomewhere(text) ? hrefOfId(text, context.programId) : undefined };
}

/** The audit log has records as the API shows them: amounts in minor units, by their names. */
const audited = /^audit\..+\.(amount|fee|threshold|dailyMax|singleMax|approvalAbove)$/;

/** Texts that are one of some codes. */
const codedTexts: ReadonlySet<string> = new Set([
  ...["type", "channel", "kind", "reportKind", "reason", "declineReason", "decidedBy", "wallet", "format"],
  ...["method", "nameCheck", "holderType", "accountType", "sequence", "exemptions", "risk", "role"],
  ...["trigger", "by", "outcome", "closedBy", "network", "level", "kycRequirement", "statusReason"],
]);

function statusCell(code: string): Cell {
  const tone = tones.get(code);
  return { text: codeLabel(code), ...(tone !== undefined && { tone }) };
}

/** Some records have parts, which are shown one beside the other. */
function objectCell(context: Context, value: object): Cell {
  return Object.entries(value).flatMap(([name, part]): Cell[] => {
    const label = toLabel(name);
    if (typeof part === "object") return [{ text: `${label}: ${JSON.stringify(part)}` }];
    const cell = toCell(context, name, part);
    return "text" in cell ? [{ ...cell, text: `${label}: ${cell.text}` }] : [{ text: `${label}:` }, cell];
  });
}

function numberCell({ kind, currency, amountHref }: Context, attribute: string, value: number): Cell {
  const name = attribute.split(".").at(-1) ?? attribute;
  const codes = listCodes(kind, name);
  if (codes) {
    const code = Object.keys(codes).find((one) => codes[one] === value);
    if (code === undefined) return { text: String(value) };
    if (isStatus(name)) return statusCell(code);
    return { text: name === "currency" ? code.toUpperCase() : codeLabel(code) };
  }
  const isMoney = /(Minor|Amount)$|^liability\./.test(attribute) || audited.test(`${kind}.${name}`);
  if (!isMoney) return { text: String(value), isNumber: true };
  return { text: money(value, currency), isNumber: true, href: amountHref };
}

/** All of the platform's currencies have hundredths. */
export function money(minor: number, currency: enums.Currency | undefined): string {
  const amount = (minor / 100).toLocaleString("en", { minimumFractionDigits: 2 }).replace("-", "−");
  return currency === undefined ? amount : `${amount} ${enums.currencyNames[currency]}`;
}

/** Pages of records by the prefix of their ids. Others are searched for. */
const pages: Readonly<Record<string, string>> = {
  [idPrefixes.cardholder]: "cardholders",
  [idPrefixes.card]: "cards",
  [idPrefixes.wallet]: "wallets",
  [idPrefixes.deposit]: "deposits",
  [idPrefixes.hold]: "authorizations",
  [idPrefixes.suspense]: "suspense",
  [idPrefixes.control]: "controls",
  [idPrefixes.dispute]: "disputes",
  [idPrefixes.notification]: "notifications",
  [idPrefixes.token]: "tokens",
  [idPrefixes.authentication]: "authentications",
  [idPrefixes.report]: "reports",
  [idPrefixes.bulk]: "bulks",
  [idPrefixes.externalAccount]: "externalAccounts",
  [idPrefixes.payout]: "payouts",
  [idPrefixes.pull]: "pulls",
  [idPrefixes.paymentFile]: "paymentFiles",
};

const withoutPage: ReadonlySet<string> = new Set([
  ...[idPrefixes.longFile, idPrefixes.mandate, idPrefixes.microDeposit],
  ...[idPrefixes.allowedIp, idPrefixes.comment],
]);

/** Whether an id has a page, or the search finds it. */
export function leadsSomewhere(text: string): boolean {
  return identifier.test(text) && !withoutPage.has(text.slice(0, 3));
}

/** The kind of record that an id names, if its page is a record's. */
export function findPageKind(id: string): string | undefined {
  return pages[id.split("_")[0] ?? ""];
}

export function hrefOfId(id: string, programId?: string): string {
  const [prefix = ""] = id.split("_");
  const page = pages[prefix];
  if (prefix === idPrefixes.tenant) return toHref(["tenants", id]);
  if (prefix === idPrefixes.program) return toHref(["programs", id]);
  if (prefix === idPrefixes.refused) return toHref(["refused", id]);
  if (programId !== undefined && page !== undefined) return toHref(["programs", programId, page, id]);
  return toHref(["search"], { id, programId: programId ?? "" });
}

/** A receiver's URL may have credentials in front of its host, and in its query. */
function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return "–";
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
