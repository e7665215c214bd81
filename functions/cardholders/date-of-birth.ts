import { timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";

/** @throws ApiError VALIDATION_FAILED for a day of birth that has not come yet, anywhere on Earth's calendar in UTC. */
export function requireBorn(dateOfBirth: string): void {
  if (dateOfBirth <= timestamp()) return;
  throw new ApiError("VALIDATION_FAILED", [
    { path: "body.dateOfBirth", code: "in_the_future", message: "must not be in the future" },
  ]);
}
