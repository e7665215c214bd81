import { mayCall, type Rights } from "../../contract/roles.ts";
import { operationId, type Route } from "../../contract/route.ts";
import { ApiError } from "./api-error.ts";

/** @throws ApiError OPERATION_NOT_ALLOWED */
export function requireAllowed(rights: Rights, route: Route): void {
  if (!mayCall(rights, route)) throw notAllowed(`The operation ${operationId(route)}`, rights);
}

export function notAllowed(what: string, { role }: Rights): ApiError {
  const message = `${what} is not allowed to keys of the role ${role}.`;
  return new ApiError("OPERATION_NOT_ALLOWED", [], undefined, message);
}
