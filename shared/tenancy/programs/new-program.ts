import type { Currency } from "../../contract/enums.ts";
import { type NewProgramSettings, ProgramSettings } from "../../contract/program-settings.ts";
import { newWallet, walletPut } from "../../domain/wallets/wallet.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { accountsKey } from "../../platform/table/keys.ts";
import { tenantKey } from "../../platform/table/tenant-keys.ts";
import { type TransactionOutcome, transact } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { tenantExists } from "../existence.ts";
import { type Program, toProgramView, toSettingsView } from "./program.ts";

/** What the platform decides on is left out by a Tenant, and is standard then. */
type PlatformSettings = Pick<NewProgramSettings, "cardBin" | "clearingDelaySeconds">;
type RequestedSettings = Omit<NewProgramSettings, keyof PlatformSettings> & Partial<PlatformSettings>;

export interface ProgramRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly currency: Currency;
  readonly settings: RequestedSettings;
}

const path = "body.settings.extendedPublicKeys";

/**
 * Creates a Program with its first Wallet, in one transaction with what makes it the Tenant's and its keys its own. Each call makes another
 * one. The outcome's failed conditions name the Tenant when there is none.
 *
 * @throws ApiError VALIDATION_FAILED when an extended public key has a slip in it, is another Program's, or is missing where the environment has
 * none to give
 */
export async function createProgram(
  { tenantId, name, currency, settings: requested }: ProgramRequest,
  actor: Actor,
): Promise<{ readonly program: Program; readonly outcome: TransactionOutcome }> {
  const programId = newId("program");
  const { settings, claims, takenKeys } = await settingsWithKeys(programId, requested);
  const program: Program = {
    programId,
    tenantId,
    name,
    currency,
    settings,
    defaultWalletId: newId("wallet"),
    createdAt: actor.at,
    createdBy: actor.by,
  };
  const wallet = newWallet(
    { walletId: program.defaultWalletId, name: "Default", currency },
    new Date(actor.at),
  );
  const after = { name, currency, walletId: wallet.walletId, settings: toSettingsView(settings) };
  const outcome = await transact([
    tenantExists(tenantId),
    {
      name: "program",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...accountsKey.program(programId), ...program },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    {
      name: "program of the Tenant",
      Put: {
        TableName: environment.accountsTable,
        Item: { ...tenantKey.programOf(tenantId, programId), ...toProgramView(program), createdAt: actor.at },
      },
    },
    walletPut(programId, wallet),
    ...claims,
    auditPut(
      { tenantId, programId, action: "program.create", subjectId: programId, before: null, after },
      actor,
    ),
  ]);
  const taken = outcome.committed ? [] : takenKeys(outcome.failedConditions, path);
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", taken);
  return { program, outcome };
}

/** The curves are loaded where they are needed alone: they would make every cold start longer. */
async function settingsWithKeys(programId: string, requested: RequestedSettings) {
  const { claimKeys, custodyKeys, takenKeys, unfitKeys } = await import("./derivation-keys.ts");
  const { extendedPublicKeys: own, ...others } = requested;
  const faults = own ? unfitKeys(own, path) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const extendedPublicKeys = own ?? custodyKeys(programId);
  if (!extendedPublicKeys) {
    throw new ApiError("VALIDATION_FAILED", [{ path, code: "required", message: "is required" }]);
  }
  const settings = ProgramSettings.parse({ ...others, extendedPublicKeys });
  return { settings, claims: claimKeys(programId, extendedPublicKeys), takenKeys };
}
