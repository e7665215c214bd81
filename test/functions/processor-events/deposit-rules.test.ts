import { readFileSync } from "node:fs";
import type { SQSEvent } from "aws-lambda";
import { afterEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/processor-events/handler.ts";
import { DepositStatus, SuspenseStatus } from "../../../shared/contract/enums.ts";
import { deposits } from "../../../shared/deposits/deposit.ts";
import { suspenseItems } from "../../../shared/deposits/suspense.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { readTable } from "../../harness/rules-table.ts";
import { storedItems } from "../../harness/stored.ts";

const statuses = { closed: 3, "on hold": 2, "not activated": 4, pending: 0 } as const;
const answers = { ILLEGAL_TRANSITION: "rejected", NOT_FOUND: "unknown" };
const kinds = { clear: "deposit_cleared", reverse: "deposit_reversed", return: "deposit_returned" } as const;

afterEach(() => void vi.useRealTimers());

/** The event as the queue hands it over, first received so many minutes ago. */
function queued(event: object, minutes: number): SQSEvent {
  const attributes = { ApproximateFirstReceiveTimestamp: String(Date.now() - minutes * 60_000) };
  return {
    Records: [{ messageId: "message", body: JSON.stringify(event), attributes }],
  } as unknown as SQSEvent;
}

interface Sent {
  readonly event: object;
  readonly eventId: string;
  /** Over the queue. */
  readonly minutes: string | undefined;
}

async function play([steps = "", ends = "", became = "", last = ""]: readonly string[]) {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2029, 0, 1) });
  const [programId, depositId] = [await givenStoredProgram(), newId("deposit")];
  const [, status] = Object.entries(statuses).find(([name]) => steps.includes(`C ${name}`)) ?? [];
  const wallet = await givenStoredWallet(programId);
  const accounts: Record<string, string> = {
    ...{ W: wallet, nobody: newId("wallet"), no: newId("card") },
    C: await givenStoredCard(programId, status ?? 1),
    T: await givenStoredWallet(await givenStoredProgram()),
  };
  const touched = steps.includes(" C") ? accounts.C : wallet;
  const toEvent = (text: string) => {
    const [verb = "", name = "", currency = ""] = text.replace("nowhere ", "").split(" ");
    const base = { programId: text.includes("nowhere") ? newId("program") : programId, depositId };
    if (verb in kinds) {
      const amount = /^\d+$/.test(name) && { amount: Number(name) };
      const account = name === "of" && { accountId: accounts.nobody };
      return { ...base, kind: kinds[verb as "clear"], ...amount, ...account };
    }
    const accountType = name === "C" || name === "no" ? 1 : 0;
    const details = { accountType, accountId: accounts[name], amount: 100, channel: "bank" };
    return { ...base, kind: `deposit_${verb}`, ...details, ...(/^[A-Z]{3}$/.test(currency) && { currency }) };
  };
  let first: Sent | undefined;
  let answer = "";
  for (const step of steps.split(", ")) {
    const [, minutes, text = step] = /^queued (\d+) (.*)$/.exec(step) ?? [];
    const isFirst = step === "again" || step === "once more";
    const sent: Sent = isFirst && first ? first : { event: toEvent(text), minutes, eventId: newId("event") };
    first ??= sent;
    const event = { ...sent.event, eventId: step === "once more" ? newId("event") : sent.eventId };
    const before = await storedItems(programId);
    const input = sent.minutes === undefined ? event : queued(event, Number(sent.minutes));
    answer = toText((await handler(input as never)) as never);
    if (answer === "applied" || answer === "done") continue;
    expect((await storedItems(programId)).filter(isBooked)).toEqual(before.filter(isBooked));
  }
  expect(answer).toBe(last);
  const items = await expectBooksInOrder(programId);
  if (ends !== "-") {
    const { availableMinor, pendingDepositMinor, ledgerMinor } = balancesIn(items, touched ?? "");
    expect([availableMinor, pendingDepositMinor, ledgerMinor].join(" ")).toBe(ends);
  }
  expect(await fate(programId, depositId)).toBe(became);
}

const isBooked = ({ sk }: { readonly sk: string }) => sk !== "EVENT" && sk !== "OUTBOX";

function toText(result: {
  batchItemFailures?: object[];
  outcome: string;
  code: keyof typeof answers;
}): string {
  if (result.batchItemFailures) return result.batchItemFailures.length > 0 ? "kept" : "done";
  return result.outcome === "applied" ? "applied" : answers[result.code];
}

async function fate(programId: string, depositId: string): Promise<string> {
  const nameOf = (of: object, value: number) => Object.entries(of).find(([, one]) => one === value)?.[0];
  const deposit = await deposits.at(programId, depositId).get();
  if (deposit) return nameOf(DepositStatus, deposit.status) ?? "";
  const item = await suspenseItems.at(programId, depositId).get();
  return item ? `suspense ${nameOf(SuspenseStatus, item.status)} ${item.reason}` : "-";
}

const rules = readTable(readFileSync(new URL("deposit-rules.txt", import.meta.url), "utf8"));

describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("%s", (_, ...row) => play(row));
});
