import { fork } from "node:child_process";
import { once } from "node:events";
import { startEngine, useTables } from "../harness/engine.ts";
import { tablesOfTheTemplate } from "../harness/tables.ts";
import { print, progress, type Row, type Table } from "./report.ts";

/** `npm run bench [-- part …]`: measures against limits. Exits with 1 if one is exceeded. */
const ownEnvironment = { ...process.env };
const engine = await startEngine();
await useTables(engine.endpoint, tablesOfTheTemplate(), "bench");

// The long one runs alone: `npm run bench -- lists`, or `lists 0.1` for a tenth of it.
if (process.argv[2] === "lists") {
  const { benchLists } = await import("./lists-main.ts");
  const exceeded = await benchLists(Number(process.argv[3] ?? 1)).finally(engine.stop);
  process.exit(exceeded ? 1 : 0);
}

// `npm run bench -- long-lists 10000000 transfers`, with a larger heap: docs/lists.md.
if (process.argv[2] === "long-lists") {
  const { benchLongLists } = await import("./lists-main.ts");
  const exceeded = await benchLongLists(Number(process.argv[3] ?? 10_000_000), process.argv[4]).finally(
    engine.stop,
  );
  process.exit(exceeded ? 1 : 0);
}

// Imported only now: what they import reads the environment.
const roundTrips = await import("./round-trips.ts");
const authorizer = await import("./authorizer-cost.ts");
const handlerTime = await import("./handler-time.ts");
const coldImport = await import("./cold-import.ts");
const deadlines = await import("./due-deadlines.ts");
const cardEvents = await import("./card-events.ts");
const lateHolds = await import("./late-holds.ts");
const hotWallet = await import("./hot-wallet.ts");
const deadEndpoint = await import("./dead-endpoint.ts");
const proofs = await import("./proofs.ts");

const table = async (title: string, columns: readonly string[], rows: Promise<Row[]>): Promise<Table[]> => [
  { title, columns, rows: await rows },
];
const { columns } = roundTrips;
const finding = "Finding what is due among what is not (medians)";

const parts: Readonly<Record<string, () => Promise<Table[]>>> = {
  authorizer: () =>
    table("DynamoDB, the authorizer of every request", columns, authorizer.roundTripsOfTheAuthorizer()),
  endpoints: () => table("DynamoDB, each endpoint's handler", columns, roundTrips.roundTripsOfEndpoints()),
  events: () => table("DynamoDB, each event of the card network", columns, cardEvents.costsOfCardEvents()),
  rates: () =>
    table(
      "Authorizations against their own transactions, bare",
      cardEvents.rateColumns,
      cardEvents.ratesOfCardEvents(),
    ),
  handlers: () =>
    table(
      "Handler against its own SDK calls, bare (medians)",
      handlerTime.columns,
      handlerTime.handlerTimes(),
    ),
  proofs: () => table("Proofs of balances (medians)", proofs.columns, proofs.timesOfProofs()),
  deadlines: () => table(finding, deadlines.columns, deadlines.timesToFindDeadlines([100, 100_000])),
  "million-deadlines": () =>
    table(finding, deadlines.columns, deadlines.timesToFindDeadlines([100, 1_000_000])),
  "hot-wallet": () =>
    table(
      "Transfers from one Wallet to 1,000 Cards, overlapping transactions rejected as in AWS",
      hotWallet.columns,
      hotWallet.hotWallet(engine.endpoint),
    ),
  "late-holds": () =>
    table("Holds that expire beside maintenance charges", lateHolds.columns, lateHolds.delaysOfHolds(size)),
  "dead-endpoint": () =>
    table(
      "An endpoint that never answers, until it is switched off",
      deadEndpoint.columns,
      deadEndpoint.costsOfDeadEndpoint(size),
    ),
  imports: () =>
    table("Cold import of each bundle (lower quartiles)", coldImport.columns, coldImport.coldImports()),
  sending: () => apart("./sending.ts"),
  start: () => apart("./start.ts"),
};
/** Of the parts that take one: `npm run bench -- late-holds 5000`. */
const size = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 100_000);
/** Only if named. */
const slow = new Set(["million-deadlines", "late-holds", "dead-endpoint", "start"]);

/** In its own process: the store's client keeps its first address. */
async function apart(file: string): Promise<Table[]> {
  const child = fork(new URL(file, import.meta.url), { env: { LOG_LEVEL: "ERROR", ...ownEnvironment } });
  const answer = once(child, "message");
  const ended = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`${file} ended with ${code}.`);
  });
  await Promise.race([answer, ended]);
  await ended;
  return (await answer)[0];
}

const broken: string[] = [];
try {
  const asked = process.argv.slice(2).filter((argument) => !/^\d+$/.test(argument));
  const unknown = asked.find((name) => !(name in parts));
  if (unknown) throw new Error(`There is no part ${unknown}. The parts: ${Object.keys(parts).join(", ")}.`);
  const names = asked.length > 0 ? asked : Object.keys(parts).filter((name) => !slow.has(name));
  for (const name of names) {
    for (const each of (await parts[name]?.()) ?? []) broken.push(...print(each));
  }
} finally {
  progress("");
  await engine.stop();
}
console.log(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
process.exit(broken.length === 0 ? 0 : 1);
