import type { Currency } from "../../contract/enums.ts";
import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { accountsKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { programExists, tenantExists } from "../existence.ts";
import { type ApiKey, hashApiKey, newApiKey } from "./api-key.ts";
import { type ApiUser, toApiUserView } from "./api-user.ts";

/** A Program and its currency, for a key of it. */
export interface KeyOfProgram {
  readonly programId: string;
  readonly currency: Currency;
}

export interface NewApiUser {
  readonly user: ApiUser;
  /** It leaves in one answer and is kept nowhere. */
  readonly apiKey: string;
  /** That the Tenant is there, or that the Program is and is the Tenant's: for who does not write that in the same transaction. */
  readonly ownerExists: WriteAction;
  readonly writes: readonly WriteAction[];
}

/** An API user with its key: Program-level with a Program, else Tenant-level. */
export async function newApiUser(
  tenantId: string,
  program: KeyOfProgram | undefined,
  name: string,
  actor: Actor,
): Promise<NewApiUser> {
  const apiUserId = newId("apiUser");
  const { apiKey, keyHash, stored } = await newKey({ tenantId, apiUserId, name }, program, actor);
  const { programId } = program ?? {};
  const user: ApiUser = {
    tenantId,
    apiUserId,
    level: stored.level,
    programId,
    name,
    keyHash,
    createdAt: actor.at,
    createdBy: actor.by,
  };
  const ownerExists = programId ? programExists(tenantId, programId) : tenantExists(tenantId);
  const writes = [
    keyPut(keyHash, stored),
    put("api user", { ...accountsKey.apiUser(tenantId, apiUserId), ...user }),
    auditPut(
      {
        tenantId,
        programId,
        action: "api-user.create",
        subjectId: apiUserId,
        before: null,
        after: toApiUserView(user),
      },
      actor,
    ),
  ];
  return { user, apiKey, ownerExists, writes };
}

/** A key that nobody has yet, and what is stored of it. */
export async function newKey(
  of: Pick<ApiUser, "tenantId" | "apiUserId" | "name">,
  program: KeyOfProgram | undefined,
  actor: Actor,
): Promise<{ readonly apiKey: string; readonly keyHash: string; readonly stored: ApiKey }> {
  const apiKey = newApiKey();
  const { tenantId, apiUserId, name } = of;
  const common = { tenantId, apiUserId, name, createdAt: actor.at, createdBy: actor.by };
  const stored: ApiKey = program
    ? { ...common, level: "program", ...program }
    : { ...common, level: "tenant" };
  return { apiKey, keyHash: await hashApiKey(apiKey), stored };
}

export function keyPut(keyHash: string, stored: ApiKey): WriteAction {
  return put("api key", { ...accountsKey.apiKey(keyHash), ...stored });
}

function put(name: string, Item: Record<string, unknown>): WriteAction {
  return {
    name,
    Put: { TableName: environment.accountsTable, Item, ConditionExpression: "attribute_not_exists(pk)" },
  };
}
