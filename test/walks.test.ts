import { describe, expect, it } from "vitest";
import { findCircles, readImportGraph, walk } from "./harness/import-graph.ts";
import { sourceFiles } from "./harness/source-files.ts";

const shipped = [...sourceFiles("functions"), ...sourceFiles("shared"), ...sourceFiles("infra")];
const graph = readImportGraph(shipped);
const linesOf = new Map(shipped.map((file) => [file.path, file.lines]));

/**
 * What one reads to follow a request to its end: all that is imported on the way, but for the
 * contract's shapes and the platform, which has no word of the business.
 */
const walks = {
  "POST /wallets/transfer, after the HTTP layer": {
    from: ["functions/wallets/transfer.ts"],
    files: 35,
    lines: 4_650,
  },
  "an authorization, from the queue to the webhook's receiver": {
    from: [
      "functions/processor-events/consume-events.ts",
      "functions/outbox-relay/handler.ts",
      "functions/callback-delivery/handler.ts",
    ],
    files: 140,
    lines: 16_900,
  },
  "an ISO 8583 message, from the listener to its answer": {
    from: ["functions/network/handler.ts", "functions/processor-events/handler.ts"],
    files: 159,
    lines: 18_100,
  },
  "a page of GET /cards/transactions": { from: ["functions/cards/transactions.ts"], files: 27, lines: 3_913 },
  "a bank's file, to the credited Wallet": {
    from: ["functions/files/handler.ts"],
    files: 155,
    lines: 17_450,
  },
};

describe("walks", () => {
  it.each(Object.entries(walks))("%s", (name, { from, files, lines }) => {
    const read = walk(graph, from, (file) => /^shared\/(contract|platform)\//.test(file));
    const readLines = read.reduce((sum, file) => sum + (linesOf.get(file) ?? 0), 0);
    process.stdout.write(`${name}: ${read.length} files, ${readLines} lines\n`);
    expect(read.length).toBeLessThanOrEqual(files);
    expect(readLines).toBeLessThanOrEqual(lines);
  });
});

describe("circles", () => {
  it("no more files import each other, types included", () => {
    const inCircles = findCircles(graph).flat();
    expect(inCircles.length, inCircles.join(" ")).toBeLessThanOrEqual(81);
  });
});
