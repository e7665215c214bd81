import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { newId, randomToken } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { givenNetwork, type Told } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replaced } from "./copied-program.ts";
import { median, progress, type Row } from "./report.ts";
import { costRow } from "./round-trips.ts";

/** One transaction, after at most one round of reads. */
const roundTripLimit = 2;

/** What each kind of card event costs in DynamoDB, on a card that the worker has met. */
export async function costsOfCardEvents(): Promise<Row[]> {
  const network = await givenNetwork({ availableMinor: 1_000_000 });
  const rows: Row[] = [];
  const cost = async (name: string, event: Told | ProcessorEvent, limit = roundTripLimit) => {
    progress(name);
    const measured = await measure(() => network.apply(event as Told));
    rows.push(costRow(name, measured.cost, limit));
    return measured.result;
  };
  await network.apply({ kind: "balance_inquiry" });
  const hold = { authorizationId: "A" };
  await cost("authorization", { kind: "authorization", ...hold, amount: 100 });
  const tooMuch = { kind: "authorization", authorizationId: "B", amount: 2_000_000 } as const;
  const { approved } = await cost("authorization, declined", tooMuch);
  if (approved) throw new Error("It was approved.");
  await cost("increment", { kind: "authorization_incremental", ...hold, amount: 20 });
  await cost("advice", { kind: "authorization_advice", ...hold, amount: 5 });
  await cost("reversal", { kind: "authorization_reversal", ...hold, amount: 5 });
  await cost("clearing", { kind: "clearing", ...hold, amount: 50, final: false });
  await cost("expiry", { kind: "authorization_expiry", ...hold });
  const { transId = "" } = await cost("force post", { kind: "clearing", amount: 50 });
  const refund = await cost("refund", { kind: "refund", amount: 10 });
  await cost("refund reversal", { kind: "refund_reversal", transId: refund.transId ?? "" });
  await cost("ATM withdrawal", { kind: "atm_withdrawal", amount: 10 });
  const { feeId = "" } = await cost("fee", { kind: "fee", feeType: 5, amount: 3 });
  await cost("fee reversal", { kind: "fee_reversal", feeId });
  await cost("balance inquiry", { kind: "balance_inquiry" });
  const { chargebackId = "" } = await cost("chargeback", { kind: "chargeback", transId });
  // A third: the disputed transaction is read after the dispute.
  await cost("chargeback outcome", { kind: "chargeback_outcome", chargebackId, status: 2 }, 3);
  await network.setProgram({ feeSchedule: [{ feeType: 4, amount: 1, basisPoints: 0 }] });
  const abroad = { srcAmount: 40, srcCurrency: "978" };
  await cost("settlement with conversion", { kind: "clearing", amount: 50, ...abroad });
  for (const kind of ["deposit_cleared", "deposit_reversed"] as const) {
    const { depositId = "" } = await cost("deposit pending", depositOn(network));
    const settled = { kind, eventId: newId("event"), programId: network.programId, depositId };
    await cost(kind.replace("_", " "), settled);
  }
  return rows;
}

function depositOn({ programId, cardId }: Pick<CopiedCard, "programId" | "cardId">): ProcessorEvent {
  const account = { accountType: 1, accountId: cardId } as const;
  return {
    kind: "deposit_pending",
    eventId: newId("event"),
    programId,
    ...account,
    amount: 40,
    channel: "crypto",
  };
}

export const rateColumns = ["authorizations", "events/s", "bare events/s", "ratio"];

const cards = 100;
const lanes = 10;
const rounds = 20;
const eventsInARound = 200;

/**
 * Authorizations per second, against their bare TransactWriteItems in the same run. On one card,
 * they run one after another: that is a handler's time, which `handlers` shows.
 */
export async function ratesOfCardEvents(): Promise<Row[]> {
  const name = `on ${cards} cards, ${lanes} at once`;
  progress(name);
  const { platform, bare, ratio } = await compareRates();
  return [{ cells: [name, platform.toFixed(0), bare.toFixed(0), ratio.toFixed(2)] }];
}

async function compareRates() {
  const given = await Promise.all(Array.from({ length: cards }, givenCopiedCard));
  const bareClient = DynamoDBDocumentClient.from(new DynamoDBClient(), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const rates = { platform: [] as number[], bare: [] as number[], ratio: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const written: object[] = [];
    const events = Array.from({ length: eventsInARound }, (_, n) => {
      const { programId, cardId } = given[n % cards] as CopiedCard;
      return authorization(programId, cardId);
    });
    const platform = await ratePerSecond(events, authorize, written);
    if (written.length < eventsInARound) throw new Error(`${written.length} transactions were recorded.`);
    const transactions = written.map((input) => copied(input, given));
    const bare = await ratePerSecond(transactions, (transaction) => bareClient.send(transaction));
    if (round === 0) continue;
    rates.platform.push(platform);
    rates.bare.push(bare);
    rates.ratio.push(platform / bare);
  }
  bareClient.destroy();
  // The ratio of each round by itself, because the machine's speed changes between rounds.
  return { platform: median(rates.platform), bare: median(rates.bare), ratio: median(rates.ratio) };
}

async function authorize(event: ProcessorEvent): Promise<void> {
  const result = await applyEvent(cardChanges, event);
  if (result.outcome !== "applied" || !result.approved) throw new Error("It was not approved.");
}

interface CopiedCard {
  readonly programId: string;
  readonly cardId: string;
  /** A Program that has the same card. */
  readonly copyId: string;
}

async function givenCopiedCard(): Promise<CopiedCard> {
  const [programId, copyId] = [await givenStoredProgram(), await givenStoredProgram()];
  const cardId = await givenStoredCard(programId, 1, 1_000_000);
  await givenStoredCard(copyId, 1, 1_000_000, cardId);
  return { programId, cardId, copyId };
}

function authorization(programId: string, cardId: string): ProcessorEvent {
  const [eventId, authorizationId] = [newId("event"), newId("hold")];
  return { kind: "authorization", eventId, programId, cardId, authorizationId, amount: 1 };
}

/** Works in parallel lanes. Can record the transactions that the platform writes meanwhile. */
async function ratePerSecond<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  written?: object[],
): Promise<number> {
  if (written) {
    table.middlewareStack.add(
      (next, context) => (args) => {
        if (context.commandName === "TransactWriteItemsCommand") written.push(args.input);
        return next(args);
      },
      { step: "initialize", name: "bench-transactions" },
    );
  }
  const queue = items.values();
  const start = performance.now();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - start) / 1000;
  if (written) table.middlewareStack.remove("bench-transactions");
  return items.length / seconds;
}

/** The same transaction for the same card of the other Program. */
function copied(input: object, given: readonly CopiedCard[]): TransactWriteCommand {
  const programId = /prg_[0-9A-Z]{26}/.exec(JSON.stringify(input))?.[0] ?? "";
  const copyId = given.find((one) => one.programId === programId)?.copyId ?? "";
  const copy = replaced(input, programId, copyId) as TransactWriteCommandInput;
  return new TransactWriteCommand({ ...copy, ClientRequestToken: randomToken(24) });
}
