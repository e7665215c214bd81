import { type BankReferences, isFiller } from "../../contract/bank.ts";
import { toAccountKey } from "../../contract/bank-account.ts";
import { withoutCardNumbers, withoutCardNumbersIn } from "../../contract/card-numbers.ts";
import { isIban } from "../../contract/iban.ts";
import { toMinorUnits } from "../minor-units.ts";
import { type Element, findAll, findFirst, textAt } from "./read-xml.ts";

/** An IBAN, or the account's number at the bank that the routing number names. */
export function accountIn(account: Element | undefined, bank: Element | undefined): string | undefined {
  const iban = textAt(account, "Id", "IBAN");
  if (iban !== undefined) return toAccountKey(iban);
  const number = toAccountKey(textAt(account, "Id", "Othr", "Id") ?? "");
  if (number === "" || isIban(number) || number.includes("/")) return number || undefined;
  const routing = [["ClrSysMmbId", "MmbId"], ["Othr", "Id"], ["BICFI"], ["BIC"]]
    .map((path) => textAt(bank, "FinInstnId", ...path))
    .find((one) => one !== undefined);
  return routing === undefined ? undefined : toAccountKey(`${routing}/${number}`);
}

const longestReference = 140;

/** Undefined also for what only fills the field. */
export function referenceAt(element: Element | undefined, ...path: readonly string[]): string | undefined {
  const written = textAt(element, ...path);
  if (written === undefined || isFiller(written)) return undefined;
  const reference = withoutCardNumbers(withoutControls(written));
  return reference.length > longestReference || isFiller(reference) ? undefined : reference;
}

type Names = Readonly<Record<Exclude<keyof BankReferences, "accountServicer" | "entry">, string>>;

const names: Names = {
  transaction: "TxId",
  endToEnd: "EndToEndId",
  instruction: "InstrId",
  message: "MsgId",
  clearing: "ClrSysRef",
  uetr: "UETR",
};

/** A payment has `Refs`. The original of a return has the same with `Orgnl` before each name. */
export function referencesIn(refs: Element | undefined, prefix = ""): BankReferences {
  const found = Object.entries(names).map(([key, name]) => [key, referenceAt(refs, `${prefix}${name}`)]);
  return Object.fromEntries(found.filter(([, reference]) => reference !== undefined));
}

/** Texts that the payer and the bank wrote beside the amount, in the order in which they count. */
const creditorReference = ["RmtInf", "Strd", "CdtrRefInf", "Ref"];
const texts = [
  ["RmtInf", "Ustrd"],
  ["RmtInf", "Strd", "AddtlRmtInf"],
  ["RmtInf", "Strd", "RfrdDocInf", "Nb"],
  ["RltdRmtInf", "RmtId"],
  ["AddtlTxInf"],
  ["AddtlNtryInf"],
  ["Refs", "EndToEndId"],
  ["Refs", "InstrId"],
  ["Refs", "PmtInfId"],
  ["Refs", "Prtry", "Ref"],
] as const;

const mostTexts = 100;
const longestText = 500;

/** What may name a Wallet or Card in these elements: references of creditors first. */
export function remittanceIn(...parts: readonly Element[]) {
  const read = (path: readonly string[]) =>
    parts
      .flatMap((part) => findAll(part, ...path))
      .map(({ text }) => withoutControls(text))
      .filter((text) => text !== "" && !isFiller(text));
  const structured = read(creditorReference);
  const all = withoutCardNumbersIn([...structured, ...texts.flatMap(read)].slice(0, mostTexts));
  const remittance = all.map((text) => Array.from(text).slice(0, longestText).join("").trim());
  return {
    remittance,
    ...(structured.length > 0 && { creditorReferences: remittance.slice(0, structured.length) }),
  };
}

function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

/** What cannot be converted stays as it is, so that the record is refused for it. */
export function moneyIn(amount: Element | undefined): { amount?: number | string; currency?: string } {
  if (amount === undefined) return {};
  const currency = amount.attributes.Ccy ?? "";
  const decimal = amount.text.trim();
  return { currency, amount: toMinorUnits(decimal, currency) ?? decimal };
}

export function isTrue(element: Element | undefined, name: string): boolean {
  return /^(true|1)$/.test(textAt(element, name) ?? "");
}

export function firstOf(element: Element, ...paths: readonly (readonly string[])[]): Element | undefined {
  return paths.map((path) => findFirst(element, ...path)).find((one) => one !== undefined);
}
