import * as z from "zod";
import { BulkResult, ResultStatus } from "../contract/bulk.ts";
import { now, timestamp, unixSeconds } from "../platform/clock.ts";
import type { ApiError } from "../platform/http/api-error.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Bulk } from "./bulk.ts";

const keptSeconds = 400 * 86_400;

const StoredResult = z.object({
  line: z.int(),
  status: ResultStatus,
  externalId: z.string().optional(),
  cardholderId: z.string().optional(),
  cardId: z.string().optional(),
  error: BulkResult.shape.error,
  createdAt: z.string(),
  expiresAtSeconds: z.int(),
});
export type StoredResult = Readonly<z.output<typeof StoredResult>>;

/** What became of a line. `number` counts the lines that are not blank, from 1. */
export const bulkResults = defineEntity({
  name: "bulk result",
  schema: StoredResult,
  key: (programId: string, bulkId: string, number: number) => ({
    pk: `${programId}#${bulkId}`,
    sk: `RESULT#${String(number).padStart(5, "0")}`,
  }),
});

type Outcome = Omit<StoredResult, "createdAt" | "expiresAtSeconds">;

/** Fails if the line has one: it was done. */
export function resultCreate(
  programId: string,
  bulkId: string,
  number: number,
  result: Outcome,
): WriteAction {
  const createdAt = timestamp();
  const expiresAtSeconds = unixSeconds(now()) + keptSeconds;
  return bulkResults.at(programId, bulkId, number).create({ ...result, createdAt, expiresAtSeconds });
}

/** All that there are, in the order of lines. */
export async function readResults(programId: string, { entityId, lines }: Bulk): Promise<StoredResult[]> {
  const { pk, sk: first } = bulkResults.key(programId, entityId, 1);
  const { sk: last } = bulkResults.key(programId, entityId, lines);
  const items = await readAllItems(toPartitionQuery(pk, { first, last }));
  return items.map((item) => bulkResults.parse(item));
}

/** As its own request would have been answered. */
export function toError({ code, message, faults }: ApiError): NonNullable<Outcome["error"]> {
  return { code, message, ...(faults.length > 0 && { errors: [...faults] }) };
}

export function toResultView({ createdAt: _, expiresAtSeconds: __, ...result }: StoredResult): BulkResult {
  return result;
}
