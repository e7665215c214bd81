import { GetCommand, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../../shared/platform/environment.ts";
import { newId } from "../../../shared/platform/id.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { median, progress, type Row } from "./report.ts";

export const columns = ["64 callers", "transfers/s", "ratio"];

const callers = 64;
const transfers = 960;
const rounds = 5;
/** Beside the Wallet's own. A transaction has at most 100 actions. */
const itemsOfTransfer = 10;
const largestBatch = 9;

/**
 * The design that was not built for a hot Wallet: transfers that queue, and commit together.
 * Compared with a transaction for each, from a Wallet for each caller. Bare calls only.
 */
export async function batchedTransfers(): Promise<Row[]> {
  const rates = { apart: [] as number[], batched: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    progress(`transfers, round ${round} of ${rounds}`);
    const apart = await transfersPerSecond((caller) => commit(`apart-${caller}`, 1));
    const batched = await transfersPerSecond(batches());
    if (round === 0) continue;
    rates.apart.push(apart);
    rates.batched.push(batched);
  }
  const [apart, batched] = [median(rates.apart), median(rates.batched)];
  return [
    { cells: ["a transaction each", apart.toFixed(0), ""], broken: undefined },
    { cells: ["nine in a transaction", batched.toFixed(0), (batched / apart).toFixed(2)], broken: undefined },
  ];
}

async function transfersPerSecond(transfer: (caller: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  const each = async (_: unknown, caller: number) => {
    for (let done = 0; done < transfers / callers; done += 1) await transfer(caller);
  };
  await Promise.all(Array.from({ length: callers }, each));
  return transfers / ((performance.now() - startedMs) / 1000);
}

/** A waiting request is stored, so that it outlives its process. Then its answer is read. */
function batches(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let isLed = false;
  const lead = async () => {
    isLed = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, largestBatch);
      await commit("batched", batch.length);
      for (const goOn of batch) goOn();
    }
    isLed = false;
  };
  return async () => {
    const key = { pk: "batched", sk: newId("event") };
    await table.send(new PutCommand({ TableName: environment.issuingTable, Item: newItem(key) }));
    await new Promise<void>((goOn) => {
      waiting.push(goOn);
      if (!isLed) void lead();
    });
    await table.send(new GetCommand({ TableName: environment.issuingTable, Key: key, ConsistentRead: true }));
  };
}

function commit(walletId: string, count: number): Promise<unknown> {
  const TableName = environment.issuingTable;
  const wallet = {
    Update: {
      TableName,
      Key: { pk: walletId, sk: "WALLET" },
      UpdateExpression: "ADD spent :amount",
      ExpressionAttributeValues: { ":amount": count },
    },
  };
  const puts = Array.from({ length: count * itemsOfTransfer }, (_, index) => ({
    Put: { TableName, Item: newItem({ pk: newId("event"), sk: String(index) }) },
  }));
  return table.send(new TransactWriteCommand({ TransactItems: [wallet, ...puts] }));
}

/** As large as what a transfer writes is on average. */
function newItem(key: { readonly pk: string; readonly sk: string }) {
  return { ...key, content: "x".repeat(350) };
}
