import type { Currency } from "../../contract/enums.ts";
import { currencyNames } from "../../contract/enums.ts";
import type { StatementView } from "../../contract/statements.ts";
import type { Form, Sheet } from "./sheet.ts";

/** The fields around a statement's lines, in the order of the contract. */
export function toViewHead(sheet: Sheet) {
  const { kind, accountId, period, closed, start, end, timeZone, openingMinor, closingMinor } = sheet;
  return {
    period,
    closed,
    start,
    end,
    timeZone,
    ...(kind === "card" ? { cardId: accountId } : { walletId: accountId }),
    currency: toCurrency(sheet.currency),
    status: "done",
    progressPercent: 100,
    openingBalance: openingMinor,
    closingBalance: closingMinor,
  } as const satisfies Partial<StatementView>;
}

export function toProof({ openingMinor, closingMinor, entries, hash }: Sheet) {
  return { entries, sum: closingMinor - openingMinor, hash };
}

function toCurrency(name: string): Currency {
  const found = Object.entries(currencyNames).find(([, one]) => one === name);
  return Number(found?.[0]) as Currency;
}

/** The bytes of the answer that a shorter statement has. */
export const jsonForm: Form = {
  head: (sheet) => `{"status":"success","data":${JSON.stringify(toViewHead(sheet)).slice(0, -1)},"lines":[`,
  line: (_, line, isFirst) => (isFirst ? "" : ",") + JSON.stringify(line),
  tail: (sheet) => `],"proof":${JSON.stringify(toProof(sheet))}}}`,
};
