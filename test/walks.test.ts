import { describe, expect, it } from "vitest";
import { findCircles, readImportGraph, walk } from "./harness/import-graph.ts";
import { sourceFiles } from "./harness/source-files.ts";

const shipped = [...sourceFiles("functions"), ...sourceFiles("shared"), ...sourceFiles("infra")];
const graph = readImportGraph(shipped);
const linesOf = new Map(shipped.map((file) => [file.path, file.lines]));

interface Walk {
  /** They have a row for each kind of input: they are read, and this kind's row is followed. */
  readonly tables?: readonly string[];
  readonly from: readonly string[];
  readonly files: number;
  readonly lines: number;
}

/** The rows of the queue's inputs, and of the network's events. */
const authorizationTables = [
  "functions/processor-events/handler.ts",
  "shared/network-events/apply/card-changes.ts",
];

/** The relay's ways: to queues and to the bus with an event, or with a change that is told. */
const relayTable = "functions/outbox-relay/handler.ts";

/** An endpoint that is healthy gets a delivery at once: its row is followed. Others take turns. */
const deliveryTable = "functions/callback-delivery/handler.ts";

/** The kinds of messages beside those about money, and the networks with their own layouts. */
const messageTables = ["infra/listener/message-kinds.ts", "shared/adapters/iso8583/dialects.ts"];

/**
 * The kinds of files, and of messages; whether an entry is of a payment that was ordered, a return,
 * or of a deposit that was announced; whether it is for a Card or a Wallet.
 */
const bankTables = [
  "functions/files/handler.ts",
  "shared/adapters/iso20022/iso20022.ts",
  "shared/payments/apply-report.ts",
  "shared/deposits/bank/apply-bank-event.ts",
  "shared/deposits/takers.ts",
];

/**
 * What one reads to follow a request to its end: all that is imported on the way, but for the
 * contract's shapes and the platform, which has no word of the business.
 */
const walks: Record<string, Walk> = {
  "POST /wallets/transfer, after the HTTP layer": {
    from: ["functions/wallets/transfer.ts"],
    files: 10,
    lines: 1_677,
  },
  "an authorization, from the queue to the webhook's receiver": {
    tables: [...authorizationTables, relayTable, deliveryTable],
    from: [
      "functions/processor-events/consume-events.ts",
      "shared/network-events/apply/execute-event.ts",
      "shared/authorizations/plan-authorization.ts",
      "functions/outbox-relay/fan-out.ts",
      "functions/callback-delivery/consume-callbacks.ts",
    ],
    files: 45,
    lines: 6_095,
  },
  "an ISO 8583 message, from the listener to its answer": {
    tables: [...authorizationTables, ...messageTables],
    from: [
      "infra/listener/main.ts",
      "shared/adapters/iso8583/mastercard.ts",
      "functions/processor-events/consume-events.ts",
      "shared/network-events/apply/execute-event.ts",
      "shared/authorizations/plan-authorization.ts",
    ],
    files: 57,
    lines: 7_942,
  },
  // By a Program's list. Where fewer are asked for, the handler's row names who reads them.
  "a page of GET /cards/transactions": { from: ["functions/cards/transactions.ts"], files: 13, lines: 2_370 },
  "a bank's file, to the credited Wallet": {
    tables: bankTables,
    from: [
      "functions/files/consume-files.ts",
      "functions/files/bank-files.ts",
      "shared/adapters/iso20022/read-entry.ts",
      "shared/tenancy/programs/collecting-account.ts",
      "shared/changes/execute.ts",
      "shared/deposits/bank/match-account.ts",
      "shared/deposits/bank/payment.ts",
      "shared/deposits/arrival.ts",
    ],
    files: 28,
    lines: 4_000,
  },
};

const onTheWay =
  "This way has become longer. Must what is new be on it? Else it belongs behind a table. If it must, raise the limit here";
const ofProduct = "Shipped lines have been added. Look first what can go; then raise the limit here";

describe("walks", () => {
  it.each(Object.entries(walks))("%s", (name, { tables = [], from, files, lines }) => {
    const isOther = (file: string) => /^shared\/(contract|platform)\//.test(file) || tables.includes(file);
    const followed = walk(graph, from, isOther);
    const read = [...new Set([...tables, ...followed])];
    const readLines = read.reduce((sum, file) => sum + (linesOf.get(file) ?? 0), 0);
    process.stdout.write(`${name}: ${read.length} files, ${readLines} lines\n`);
    expect(read.length, onTheWay).toBeLessThanOrEqual(files);
    expect(readLines, onTheWay).toBeLessThanOrEqual(lines);
  });
});

/**
 * Shipped lines without tests. The goal is 60,000 for the product; the workspaces have theirs:
 * lower a limit when lines go; a commit that raises one says why.
 */
const limits = { product: 100_692, workspaces: 12_000 };
const isOfWorkspace = (file: string) => /^infra\/(local|console)\//.test(file);
const own = shipped.filter(({ path }) => !/^infra\/\w+\/test\//.test(path));

describe("lines", () => {
  it.each([
    ["the product", limits.product, own.filter(({ path }) => !isOfWorkspace(path))],
    ["its two workspaces", limits.workspaces, own.filter(({ path }) => isOfWorkspace(path))],
  ])("%s", (name, limit, files) => {
    const lines = files.reduce((sum, file) => sum + file.lines, 0);
    process.stdout.write(`${name}: ${files.length} files, ${lines} lines\n`);
    expect(lines, ofProduct).toBeLessThanOrEqual(limit);
  });
});

describe("circles", () => {
  it("no files import each other, types included", () => {
    expect(findCircles(graph)).toEqual([]);
  });
});
