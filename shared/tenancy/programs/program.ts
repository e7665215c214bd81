import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { ProgramView } from "../../contract/account-programs.ts";
import { Currency } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { ProgramSettings, type ProgramSettingsView } from "../../contract/program-settings.ts";
import { RateLimits } from "../../contract/rate-limits.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { table } from "../../platform/table/client.ts";
import { accountsKey } from "../../platform/table/keys.ts";

/** A Program of a Tenant. Its currency is set at creation and never changes. */
export const Program = z.object({
  programId: id("program"),
  tenantId: id("tenant"),
  name: z.string(),
  currency: integerEnum(Currency),
  settings: ProgramSettings,
  /** The tiers of its requests, where the operator has said so: else they are standard. */
  rateLimits: RateLimits.optional(),
  /** Since when the gateway knows what to count its requests by. */
  usageKeysAt: timestamp.optional(),
  /** The Wallet that was created with the Program. */
  defaultWalletId: id("wallet"),
  createdAt: timestamp,
  /** Who created it, see `Audit`. */
  createdBy: z.string(),
});
export type Program = z.output<typeof Program>;

/** The Program as it was last written; undefined when there is none. One consistent read. */
export async function readProgram(programId: string): Promise<Program | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.program(programId),
      ConsistentRead: true,
    }),
  );
  return Item && Program.parse(Item);
}

/**
 * The Program, where it is this Tenant's.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getProgramOf(tenantId: string, programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (program?.tenantId !== tenantId) throw new ApiError("NOT_FOUND");
  return program;
}

/** The Program as its Tenant sees it. */
export function toProgramView(program: Program): ProgramView {
  const { programId, name, currency, defaultWalletId: walletId, createdAt: dateCreated } = program;
  return { programId, name, currency, walletId, dateCreated };
}

/** The settings as the Tenant sees them. */
export function toSettingsView({ cardBin: _, ...settings }: ProgramSettings): ProgramSettingsView {
  return settings;
}

/** The Program of a key that was let in: that there is none would be the platform's own fault. One consistent read. */
export async function getProgram(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new Error(`The Program ${programId} does not exist.`);
  return program;
}
