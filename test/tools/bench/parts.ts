import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { useTables } from "../../harness/engine.ts";
import { tablesOfTheTemplate } from "../../harness/tables.ts";
import * as authorizer from "./authorizer-cost.ts";
import * as cardEvents from "./card-events.ts";
import * as coldImport from "./cold-import.ts";
import * as controls from "./controls.ts";
import * as deadEndpoint from "./dead-endpoint.ts";
import * as funded from "./funded.ts";
import * as handlerTime from "./handler-time.ts";
import * as hotWallet from "./hot-wallet.ts";
import * as merges from "./merges.ts";
import type { PartName } from "./part-names.ts";
import * as proofs from "./proofs.ts";
import type { Row, Table } from "./report.ts";
import * as roundTrips from "./round-trips.ts";

export interface PartOptions {
  readonly endpoint: string;
  /** This process's variables before it began to use the engine. */
  readonly environment: NodeJS.ProcessEnv;
  readonly size: number | undefined;
  readonly scale: number;
  readonly list: string | undefined;
}

const usualSize = 100_000;
const longList = 10_000_000;

/** Import this only when the tables are in use: what it imports reads the environment. */
export function measurePart(name: PartName, options: PartOptions): Promise<Table[]> {
  const { endpoint, environment, size = usualSize, scale, list } = options;
  const { columns } = roundTrips;
  const parts: Readonly<Record<PartName, () => Promise<Table[]>>> = {
    authorizer: () =>
      table("DynamoDB, the authorizer of every request", columns, authorizer.roundTripsOfTheAuthorizer()),
    endpoints: () => table("DynamoDB, each endpoint's handler", columns, roundTrips.roundTripsOfEndpoints()),
    events: () => table("DynamoDB, each event of the card network", columns, cardEvents.costsOfCardEvents()),
    handlers: () =>
      table(
        "Handler against its own SDK calls, bare (medians)",
        handlerTime.columns,
        handlerTime.handlerTimes(() => useFreshTables(endpoint)),
      ),
    proofs: () => table("Proofs of balances (medians)", proofs.columns, proofs.timesOfProofs()),
    "hot-wallet": () =>
      table(
        "Transfers from one Wallet to 1,000 Cards, overlapping transactions rejected as in AWS",
        hotWallet.columns,
        hotWallet.hotWallet(endpoint),
      ),
    controls: () =>
      table(
        "Authorizations under a velocity of the whole Program, overlapping transactions rejected as in AWS",
        controls.columns,
        controls.controls(endpoint),
      ),
    funded: () =>
      table(
        "Authorizations of 5,000 Cards of one Wallet, overlapping transactions rejected as in AWS",
        controls.columns,
        funded.funded(endpoint),
      ),
    "dead-endpoint": () =>
      table(
        "An endpoint that never answers, until it is switched off",
        deadEndpoint.columns,
        deadEndpoint.costsOfDeadEndpoint(size),
      ),
    imports: () =>
      table("Cold import of each bundle (medians)", coldImport.columns, coldImport.coldImports()),
    sending: () => apart("./sending.ts", environment),
    // Imported only when asked for: list-load.ts replaces the process's Date by a slower one.
    lists: async () => (await import("./lists-main.ts")).benchLists(scale),
    "long-lists": async () =>
      (await import("./lists-main.ts")).benchLongLists(options.size ?? longList, list),
    merges: () =>
      table("A merge of a list's segments", merges.columns, merges.memoryOfMerge(options.size ?? longList)),
    searches: async () => {
      const { costsOfSearches, searchColumns } = await import("./searches.ts");
      return table(`Searches of lists of ${size} records`, searchColumns, costsOfSearches(size));
    },
  };
  return parts[name]();
}

async function table(title: string, columns: readonly string[], rows: Promise<Row[]>): Promise<Table[]> {
  return [{ title, columns, rows: await rows }];
}

/** In its own process: the store's client keeps its first address. */
async function apart(file: string, environment: NodeJS.ProcessEnv): Promise<Table[]> {
  const env = { LOG_LEVEL: "SILENT", ...environment };
  const child = fork(new URL(file, import.meta.url), { env, stdio: ["ignore", 2, 2, "ipc"] });
  const answer = once(child, "message");
  const ended = once(child, "exit").then(([code]) => {
    if (code !== 0) throw new Error(`${file} ended with ${code}.`);
  });
  await Promise.race([answer, ended]);
  await ended;
  return (await answer)[0];
}

function useFreshTables(endpoint: string): Promise<void> {
  return useTables(endpoint, tablesOfTheTemplate(), randomUUID());
}
