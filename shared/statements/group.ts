import type { StatementLine } from "../contract/statements.ts";

/** An ATM withdrawal and its fee as one line, with the balance after both. */
export function grouped(lines: readonly StatementLine[]): StatementLine[] {
  const result: StatementLine[] = [];
  for (const line of lines) {
    const before = result.at(-1);
    const isPair = before?.type === "cash" && line.type === "fee";
    if (!isPair || before.journalEntryId !== line.journalEntryId) result.push(line);
    else {
      const amount = before.amount + line.amount;
      const group = [before, line].map(toPart);
      result[result.length - 1] = { ...before, amount, balance: line.balance, group };
    }
  }
  return result;
}

function toPart({ type, description, amount, transId }: StatementLine) {
  return { type, description, amount, transId };
}
