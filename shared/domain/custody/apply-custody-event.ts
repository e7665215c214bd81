import type { CustodyEvent, CustodyReport, CustodyReportResult } from "../../contract/custody.ts";
import { DepositStatus, DestinationType, SuspenseStatus } from "../../contract/enums.ts";
import { newId } from "../../platform/id.ts";
import { isNew } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact } from "../../platform/table/transact.ts";
import { type FoundAddress, findAddress } from "../cards/address-owner.ts";
import { deposits } from "../deposits/deposit.ts";
import { suspenseItems } from "../deposits/suspense.ts";
import { applyEvent } from "../network/execute-event.ts";
import { type ChainDeposit, chainDeposits } from "./chain-deposit.ts";

type Outcome = CustodyReportResult | Conflict;

/** One output of a transaction, as the custodian reports it and as it is known. */
interface Output {
  readonly programId: string;
  readonly event: CustodyEvent;
  readonly found: FoundAddress;
  readonly stored: ReturnType<typeof chainDeposits.at>;
  readonly known: ChainDeposit | undefined;
}

/**
 * Books what a custodian reports, once for each output, in whatever order it comes. What is
 * confirmed has arrived: at an address of no Card it waits in suspense.
 * @throws ContendedError
 */
export async function applyCustodyEvent({ programId, event }: CustodyReport): Promise<CustodyReportResult> {
  const found = await findAddress(programId, event);
  if (!found) return rejected(`address: is no address of ${event.chain}, or its checksum is wrong.`);
  const { chain, outputIndex } = event;
  const txHash = event.txHash.toLowerCase().replace(/^0x/, "");
  const stored = chainDeposits.at({ programId, chain, txHash, address: found.address, outputIndex });
  return retry(async () => {
    const known = await stored.get();
    if (known && known.asset !== assetOf(event))
      return rejected("asset: differs. outputIndex tells deposits of one transaction apart.");
    return apply[event.type]({ programId, event, found, stored, known });
  });
}

const apply = {
  "deposit.detected": detect,
  "deposit.confirmed": confirm,
  "deposit.dropped": drop,
} as const satisfies Record<CustodyEvent["type"], (output: Output) => Promise<Outcome>>;

/** Late or again, it says nothing new. At an address of no Card, the confirmation counts. */
async function detect(output: Output): Promise<Outcome> {
  if (output.known) return { status: "duplicate" };
  if (output.found.cardId === undefined) return { status: "ignored" };
  return book(output, "deposit_pending", newId("deposit"));
}

/** What was dropped has come after all: as another deposit. */
async function confirm(output: Output): Promise<Outcome> {
  const { known, event } = output;
  if (known?.state !== "detected" || known.depositId === undefined) {
    if (known?.state !== "confirmed") return book(output, "deposit_cleared", newId("deposit"));
    const isSame = known.amountMinor === event.amount && known.currency === event.currency;
    return isSame ? { status: "duplicate" } : rejected("amount: another one is confirmed and booked.");
  }
  if (known.currency !== event.currency) return reverse(output, known.depositId);
  const outcome = await book(output, "deposit_cleared", known.depositId);
  return outcome instanceof Conflict ? afterRefusal(output, known.depositId) : outcome;
}

/** Remembered also if it comes before its detection, which then books nothing. */
async function drop(output: Output): Promise<Outcome> {
  const { known } = output;
  if (known?.state === "dropped") return { status: "duplicate" };
  if (known?.state === "confirmed") return rejected("txHash: is confirmed. Its deposit stays.");
  if (known?.depositId === undefined) return note(output, "dropped");
  const outcome = await reverse(output, known.depositId);
  return outcome instanceof Conflict ? afterRefusal(output, known.depositId) : outcome;
}

/** A conflict if another event of the output came between, or the deposit is not as is expected. */
async function book(
  output: Output,
  kind: "deposit_pending" | "deposit_cleared",
  depositId: string,
): Promise<Outcome> {
  const { programId, event, found } = output;
  const { amount, currency, chain, asset, txHash } = event;
  const state = kind === "deposit_pending" ? "detected" : "confirmed";
  const result = await applyEvent(
    {
      kind,
      // A new one for each attempt: what is refused may be booked later.
      eventId: newId("event"),
      programId,
      depositId,
      accountType: DestinationType.card,
      accountId: found.cardId ?? found.address,
      ...{ amount, currency, channel: "crypto", chain, asset, txHash },
    },
    { suspendUnknown: true, report: { writes: [change(output, state, depositId)] } },
  );
  if (result.outcome === "refused") return new Conflict("chain deposit");
  return { status: result.suspenseId === undefined ? "applied" : "suspense" };
}

/** A confirmation in place of a drop finds a dropped one then, and books it. */
async function reverse(output: Output, depositId: string): Promise<Outcome> {
  const { programId, event } = output;
  const writes = [change(output, "dropped", depositId)];
  const reversal = { kind: "deposit_reversed", eventId: newId("event"), programId, depositId } as const;
  const result = await applyEvent(reversal, { report: { writes } });
  const isApplied = result.outcome === "applied" && event.type === "deposit.dropped";
  return isApplied ? { status: "applied" } : new Conflict("chain deposit");
}

/** Another way has settled the deposit, unless it is still as is expected: then again. */
async function afterRefusal(output: Output, depositId: string): Promise<Outcome> {
  const { programId, event, known } = output;
  const deposit = await deposits.at(programId, depositId).get();
  if (deposit?.status === DepositStatus.pending) return new Conflict("chain deposit");
  if (deposit?.status === DepositStatus.reversed) return note(output, "dropped");
  const suspended = deposit ? undefined : await suspenseItems.at(programId, depositId).get();
  if (suspended?.status === SuspenseStatus.pending)
    return event.type === "deposit.confirmed" && known?.amountMinor !== event.amount
      ? reverse(output, depositId)
      : new Conflict("chain deposit");
  const after = await output.stored.get();
  if (after?.state !== known?.state || after?.depositId !== depositId) return new Conflict("chain deposit");
  return rejected(`txHash: the deposit ${depositId} was settled in another way.`);
}

/** No money moves. */
async function note(output: Output, state: ChainDeposit["state"]): Promise<Outcome> {
  const { committed } = await transact([change(output, state, output.known?.depositId)]);
  const isDone = committed && output.event.type === "deposit.dropped";
  return isDone ? { status: "applied" } : new Conflict("chain deposit");
}

/** Requires what was read. */
function change(
  { stored, known, event }: Output,
  state: ChainDeposit["state"],
  depositId: string | undefined,
) {
  const { amount: amountMinor, currency } = event;
  const item = { depositId, state, asset: assetOf(event), amountMinor, currency };
  return stored.put(item, known ? { state: known.state, depositId: known.depositId } : isNew);
}

function assetOf({ asset }: CustodyEvent): string {
  return asset.toUpperCase();
}

function rejected(reason: string): CustodyReportResult {
  return { status: "rejected", reason };
}
