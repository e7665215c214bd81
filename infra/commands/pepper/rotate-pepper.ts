import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { randomToken } from "../../../shared/platform/id.ts";
import { readSecret } from "../../../shared/platform/read-secret.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { ApiUser } from "../../../shared/tenancy/api-keys/api-user.ts";
import { pepperMark, readRotation, rotatedSecret } from "../../../shared/tenancy/api-keys/pepper.ts";
import { CannotRun } from "../../command-line/options.ts";
import { scan } from "../audit/scan.ts";

/** Until then a request that was under way could still store a key under the former pepper. */
const shortestMs = 10 * 60_000;

interface LeftKey {
  readonly tenantId: string;
  readonly apiUserId: string;
  readonly name: string;
}

interface PepperState {
  readonly isRotating: boolean;
  /** API users with a key in use that is under another pepper than the newest. */
  readonly keys: readonly LeftKey[];
}

export async function readState(secretId: string): Promise<PepperState> {
  const secret = await readSecret(secretId);
  const rotation = readRotation(secret);
  if (rotation === undefined) return { isRotating: false, keys: [] };
  return { isRotating: true, keys: await keysNotUnder(pepperMark(rotation.newer)) };
}

/** @throws CannotRun while a rotation is under way: only two peppers are ever valid */
export async function beginRotation(secretId: string, at: Date): Promise<void> {
  const secret = await readSecret(secretId);
  if (readRotation(secret)) throw new CannotRun("A rotation is under way: end it first.");
  await write(secretId, rotatedSecret(secret, randomToken(48), at));
}

/** Keys that are left, unless given up, keep the former pepper. */
export async function endRotation(secretId: string, at: Date, evenInUse: boolean): Promise<PepperState> {
  const rotation = readRotation(await readSecret(secretId));
  if (rotation === undefined) throw new CannotRun("No rotation is under way.");
  if (at.getTime() < rotation.since.getTime() + shortestMs)
    throw new CannotRun("The rotation began less than ten minutes ago.");
  const keys = await keysNotUnder(pepperMark(rotation.newer));
  if (keys.length > 0 && !evenInUse) return { isRotating: true, keys };
  await write(secretId, rotation.newer);
  return { isRotating: false, keys };
}

async function write(secretId: string, secret: string): Promise<void> {
  const secrets = new SecretsManagerClient({});
  await secrets.send(new PutSecretValueCommand({ SecretId: secretId, SecretString: secret }));
  secrets.destroy();
}

async function keysNotUnder(mark: string): Promise<LeftKey[]> {
  const users = scan(table, environment.accountsTable, {
    FilterExpression: "begins_with(sk, :user)",
    ExpressionAttributeValues: { ":user": "API_USER#" },
  });
  const left: LeftKey[] = [];
  for await (const item of users) {
    const { tenantId, apiUserId, name, revokedAt, pepper, previous } = ApiUser.parse(item);
    const isPreviousInUse = previous !== undefined && previous.validUntil > timestamp();
    const isLeft = pepper !== mark || (isPreviousInUse && previous.pepper !== mark);
    if (revokedAt === undefined && isLeft) left.push({ tenantId, apiUserId, name });
  }
  return left;
}
