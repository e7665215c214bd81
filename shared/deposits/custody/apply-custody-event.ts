import * as z from "zod";
import { type FoundAddress, findAddress } from "../../cards/address-owner.ts";
import {
  type Change,
  type Decided,
  type Done,
  later,
  nothing,
  type Unread,
  unread,
} from "../../changes/change.ts";
import { execute } from "../../changes/execute.ts";
import type { ReportResult } from "../../contract/bank.ts";
import type { CustodyEvent, CustodyReport } from "../../contract/custody.ts";
import { DepositStatus } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import {
  type Arrival,
  accountReads,
  type DecidedDeposit,
  decideArrival,
  type FoundAccount,
} from "../arrival.ts";
import type { Deposit } from "../deposit.ts";
import { type FoundDeposit, findRecord, noDeposit, settle, settleReported } from "../known-deposit.ts";
import type { SuspenseItem } from "../suspense.ts";

/** `again`: what was announced is out of the way, and the report is to be applied anew. */
type Outcome = ReportResult | "again";

/** One output of a transaction, as the custodian reports it. */
interface Output {
  readonly programId: string;
  readonly event: CustodyEvent;
  readonly found: FoundAddress;
  readonly stored: ReturnType<typeof chainDeposits.at>;
}

interface Found extends FoundDeposit, FoundAccount {
  readonly "chain deposit": ChainDeposit | undefined;
  /** Read again before the report is rejected. */
  readonly after: ChainDeposit | undefined | Unread;
}

type OutputChange = Change<Output, Found, Outcome, "NOT_FOUND">;
type Decision = ReturnType<OutputChange["decide"]>;

/**
 * Books what a custodian reports, once for each output, in whatever order it comes. What is
 * confirmed has arrived: at an address of no Card it waits in suspense.
 * @throws ContendedError
 */
export async function applyCustodyEvent(report: CustodyReport): Promise<ReportResult> {
  const { programId, event } = report;
  const found = await findAddress(programId, event);
  if (!found) return refused(`address: is no address of ${event.chain}, or its checksum is wrong.`).done;
  const { chain, outputIndex } = event;
  const txHash = event.txHash.toLowerCase().replace(/^0x/, "");
  const stored = chainDeposits.at(programId, chain, txHash, found.address, outputIndex);
  const outcome = await execute(reportedOutput, { programId, event, found, stored });
  if ("rejected" in outcome) throw new Error(`The Program ${programId} does not exist.`);
  return outcome.answer === "again" ? applyCustodyEvent(report) : outcome.answer;
}

const reportedOutput: OutputChange = {
  reads: ({ stored }) => ({ "chain deposit": stored, after: later(nothing), ...noDeposit, ...accountReads }),
  decide: (output, found, at) => {
    const { event } = output;
    const known = found["chain deposit"];
    if (known && known.asset !== toAsset(event))
      return refused("asset: differs. outputIndex tells deposits of one transaction apart.");
    return decisions[event.type](output, found, at);
  },
};

const decisions = {
  "deposit.detected": detect,
  "deposit.confirmed": confirm,
  "deposit.dropped": drop,
} as const satisfies Record<CustodyEvent["type"], OutputChange["decide"]>;

/** Late or again, it says nothing new. At an address of no Card, the confirmation counts. */
function detect(output: Output, found: Found, at: Date): Decision {
  if (found["chain deposit"]) return { done: { status: "duplicate" } };
  if (output.found.cardId === undefined) return { done: { status: "ignored" } };
  return book(output, found, DepositStatus.pending, at);
}

/** What was dropped has come after all: as another deposit. */
function confirm(output: Output, found: Found, at: Date): Decision {
  const { programId, event } = output;
  const known = found["chain deposit"];
  if (known?.state !== "detected" || known.depositId === undefined) {
    if (known?.state !== "confirmed") return book(output, found, DepositStatus.cleared, at);
    const isSame = known.amountMinor === event.amount && known.currency === event.currency;
    return isSame
      ? { done: { status: "duplicate" } }
      : refused("amount: another one is confirmed and booked.");
  }
  const { depositId } = known;
  const its = findRecord({ programId, depositId }, found);
  if ("readMore" in its) return its;
  const { record } = its;
  if (!record) return settledOtherwise(output, found, depositId);
  const isSuspended = "suspenseId" in record;
  if (isReversed(record)) return note(output, found, "again");
  const isOther = isSuspended && record.amountMinor !== event.amount;
  // It is another deposit than what was announced.
  if (isOther || known.currency !== event.currency) {
    const reversed = settle(record, "reverse", at, found);
    if ("rejected" in reversed) return settledOtherwise(output, found, depositId);
    return noted(output, found, "dropped", reversed, "again");
  }
  const settled = isSuspended
    ? settle(record, "clear", at, found)
    : settleReported(record, event.amount, at, found);
  if ("rejected" in settled) return settledOtherwise(output, found, depositId);
  return noted(output, found, "confirmed", settled);
}

/** Remembered also if it comes before its detection, which then books nothing. */
function drop(output: Output, found: Found, at: Date): Decision {
  const known = found["chain deposit"];
  if (known?.state === "dropped") return { done: { status: "duplicate" } };
  if (known?.state === "confirmed") return refused("txHash: is confirmed. Its deposit stays.");
  if (known?.depositId === undefined) return note(output, found, { status: "applied" });
  const { depositId } = known;
  const its = findRecord({ programId: output.programId, depositId }, found);
  if ("readMore" in its) return its;
  const { record } = its;
  if (record && isReversed(record)) return note(output, found, { status: "applied" });
  const reversed = record && settle(record, "reverse", at, found);
  if (!reversed || "rejected" in reversed) return settledOtherwise(output, found, depositId);
  return noted(output, found, "dropped", reversed, { status: "applied" });
}

/** On its account: what the operator has done with it in suspense counts. */
function isReversed(record: Deposit | SuspenseItem): boolean {
  return !("suspenseId" in record) && record.status === DepositStatus.reversed;
}

function book(output: Output, found: Found, status: Arrival["status"], at: Date): Decision {
  const { programId, event } = output;
  const { amount: amountMinor, currency, chain, asset, txHash } = event;
  const account = { kind: "card", accountId: output.found.cardId ?? output.found.address } as const;
  const details = { account, amountMinor, currency, channel: "crypto", chain, asset, txHash } as const;
  const arrival = { programId, depositId: newId("deposit"), ...details, status, suspendUnknown: true };
  const decided = decideArrival(arrival, found, at);
  if ("readMore" in decided || "rejected" in decided) return decided;
  return noted(output, found, status === DepositStatus.pending ? "detected" : "confirmed", decided);
}

/** With what is known of the output afterwards. */
function noted(
  output: Output,
  found: Found,
  state: ChainDeposit["state"],
  decided: DecidedDeposit,
  answer: Outcome = { status: decided.answer.suspenseId === undefined ? "applied" : "suspense" },
): Decided<Outcome> {
  const writes = [...decided.writes, change(output, found, state, decided.answer.depositId)];
  return { ...decided, writes, answer };
}

/** No money moves. */
function note(output: Output, found: Found, answer: Outcome): Decided<Outcome> {
  const { depositId } = found["chain deposit"] ?? {};
  return { writes: [change(output, found, "dropped", depositId)], answer };
}

/** Requires what was read. */
function change(
  { stored, event }: Output,
  { "chain deposit": known }: Found,
  state: ChainDeposit["state"],
  depositId: string | undefined,
) {
  const { amount: amountMinor, currency } = event;
  const item = { depositId, state, asset: toAsset(event), amountMinor, currency };
  return stored.put(item, known ? { state: known.state, depositId: known.depositId } : isNew);
}

/** Unless it was another report of the output, which came between the reads. */
function settledOtherwise({ stored }: Output, found: Found, depositId: string): Decision {
  const { "chain deposit": known, after } = found;
  if (after === unread) return { readMore: { after: stored } };
  if (after?.state !== known?.state || after?.depositId !== depositId) return { done: "again" };
  return refused(`txHash: the deposit ${depositId} was settled in another way.`);
}

function toAsset({ asset }: CustodyEvent): string {
  return asset.toUpperCase();
}

function refused(reason: string): Done<Extract<ReportResult, { readonly status: "rejected" }>> {
  return { done: { status: "rejected", reason } };
}

/** What a custodian has reported of one output. Written in the commit that moves its money. */
const ChainDeposit = z.object({
  /** Absent if it was dropped before it was detected. */
  depositId: z.string().optional(),
  state: z.enum(["detected", "confirmed", "dropped"]),
  asset: z.string(),
  amountMinor: z.int(),
  currency: z.string(),
});
type ChainDeposit = Readonly<z.output<typeof ChainDeposit>>;

/** What came to an address by one output of a transaction. */
const chainDeposits = defineEntity({
  name: "chain deposit",
  schema: ChainDeposit,
  key: (programId: string, chain: string, txHash: string, address: string, outputIndex: number) => ({
    pk: `${programId}#CHAIN#${chain}#${txHash}`,
    sk: `CHAIN_DEPOSIT#${address}#${outputIndex}`,
  }),
});
