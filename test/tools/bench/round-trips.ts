import { apiEvent } from "../../harness/api-event.ts";
import { contractCases } from "../../harness/cases/cases.ts";
import { callerOf, givenProgram, handlerOf } from "../../harness/given-cards.ts";
import { type Cost, measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";
import { progress, type Row } from "./report.ts";

/** Round trips that the endpoint may take; others are only shown. */
function limitOf(key: string): number | undefined {
  if (key === "POST /wallets/transfer") return 2;
  // The Program's Wallets, each of which may have it; the transfer; its metadata.
  if (key === "GET /transfers/{transferId}") return 3;
  // Not of a date or a period: those make a document of many records.
  return /^GET .*(?:Id|token)\}(\/status|\/balance)?$/.test(key) ? 2 : undefined;
}

export const columns = ["endpoint", "round trips", "limit", "calls", "read units", "write units"];

/** The DynamoDB cost of each endpoint's success. Exact: calls and units are counted. */
export async function roundTripsOfEndpoints(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { route, code, prepare, manualIssuance } of contractCases()) {
    if (code !== "OK") continue;
    const key = `${route.method} ${route.path}` as const;
    progress(key);
    const settings = { issuanceApproval: manualIssuance ? 1 : 0, threeDSecure: true } as const;
    const program = await givenProgram({ settings });
    const event = apiEvent({
      ...(await prepare(program)),
      route: key,
      caller: callerOf(key, program.caller),
    });
    const { result, cost } = await measure(() => replay(handlerOf(key), event));
    if (result.status !== 200) throw new Error(`${key} answered ${result.status}.`);
    rows.push(costRow(key, cost, limitOf(key)));
  }
  return rows;
}

export function costRow(name: string, cost: Cost, limit: number | undefined): Row {
  const { roundTrips, calls, readUnits, writeUnits } = cost;
  return {
    cells: [name, roundTrips, limit ?? "", calls.length, readUnits, writeUnits],
    broken:
      limit !== undefined && roundTrips > limit
        ? `${name} takes ${roundTrips} round trips, not ${limit}.`
        : undefined,
  };
}
