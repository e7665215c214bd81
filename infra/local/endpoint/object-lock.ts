import { existsSync, readFileSync } from "node:fs";
import { writeWholeFile } from "../files.ts";
import { ServiceError } from "../interfaces.ts";
import type { Resource } from "../template.ts";
import type { ObjectCall } from "./object-answer.ts";

/** Beside the object's file: until when it stays. */
const toLock = (file: string) => `${file}.locked-until`;
const dayMs = 86_400_000;
const withoutChecksum =
  "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters";

interface Configured {
  readonly ObjectLockEnabled?: unknown;
  readonly ObjectLockConfiguration?: { Rule?: { DefaultRetention?: { Days?: unknown } } };
}

/**
 * Until when a new version is locked, if at all.
 * @throws ServiceError if S3 would refuse the request
 */
export function lockedUntil(
  { properties }: Resource,
  { headers }: Pick<ObjectCall, "headers">,
  now: Date,
): Date | undefined {
  const { ObjectLockEnabled, ObjectLockConfiguration } = properties as Configured;
  const days = ObjectLockConfiguration?.Rule?.DefaultRetention?.Days;
  const mode = headers["x-amz-object-lock-mode"];
  const wanted = headers["x-amz-object-lock-retain-until-date"];
  const isAsked = mode !== undefined || wanted !== undefined;
  if (isAsked && String(ObjectLockEnabled) !== "true")
    throw new ServiceError(400, "InvalidRequest", "Bucket is missing Object Lock Configuration");
  if (!isAsked && days === undefined) return undefined;
  const hasChecksum = Object.keys(headers).some((name) => /^(content-md5|x-amz-checksum-)/.test(name));
  if (!hasChecksum) throw new ServiceError(400, "InvalidRequest", withoutChecksum);
  if (!isAsked) return new Date(now.getTime() + Number(days) * dayMs);
  const until = new Date(String(wanted));
  if (!/^(COMPLIANCE|GOVERNANCE)$/.test(String(mode)) || Number.isNaN(until.getTime()))
    throw new ServiceError(400, "InvalidArgument", "A lock has a mode and a date");
  if (until <= now)
    throw new ServiceError(400, "InvalidArgument", "The retain until date must be in the future!");
  return until;
}

/** A later version may stay longer, never shorter. */
export function keepLocked(file: string, until: Date): void {
  const before = readLock(file);
  if (before === undefined || before < until) writeWholeFile(toLock(file), until.toISOString(), 0o600);
}

/**
 * S3 would keep a locked version behind the new one, or behind a delete marker. This store has one
 * version, so it refuses what would end that.
 */
export function requireUnlocked(file: string, now: Date): void {
  const until = readLock(file);
  if (until !== undefined && until > now)
    throw new ServiceError(403, "AccessDenied", `The object is locked until ${until.toISOString()}`);
}

function readLock(file: string): Date | undefined {
  return existsSync(toLock(file)) ? new Date(readFileSync(toLock(file), "utf8")) : undefined;
}
