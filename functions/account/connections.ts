import type { ConnectionView } from "../../shared/contract/connections.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { receiverFault } from "../../shared/platform/callbacks/receiver.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError, invalid } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { accepted } from "../../shared/platform/http/response.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import {
  connect,
  disconnect,
  readConnection,
  readConnections,
  toConnectionView,
} from "../../shared/tenancy/connections/connection-change.ts";
import { requestConnection, toRequestedView } from "../../shared/tenancy/connections/connection-request.ts";
import { getTenantProgram } from "../../shared/tenancy/programs/tenant-program.ts";
import { dropRequest, requests, type TenantRequest } from "../../shared/tenancy/requests.ts";

/** One of each port, defaults included. */
export const listConnections: Operations["GET /account/programs/{programId}/connections"] = async ({
  scope,
  path,
  query,
}) => {
  const { programId } = path;
  const { createdAt } = await getTenantProgram(scope.tenantId, programId);
  const [found, asked] = await Promise.all([readConnections(programId), readRequests(programId)]);
  const given = found.map((one) => ({
    entityId: one.connectionId,
    createdAt: one.createdAt ?? createdAt,
    ...toConnectionView(programId, one, createdAt),
    ...toRequestedView(asked.find(({ subject }) => subject === one.port)),
  }));
  return listPage(
    {
      records: { given },
      view: ({ entityId: _, createdAt: __, ...view }: (typeof given)[number]): ConnectionView => view,
    },
    query,
  );
};

async function readRequests(programId: string): Promise<TenantRequest[]> {
  return environment.isSelfService ? [] : requests.list(programId);
}

/**
 * Shows the secret once. Without a sandbox, it waits for the operator, who is shown the secret.
 * @throws ApiError VALIDATION_FAILED for a `url` that the platform does not call, and for `local`
 * outside the local environment
 */
export const createConnection: Operations["POST /account/programs/{programId}/connections"] = async (
  request,
) => {
  const { scope, path, body } = request;
  const program = await getTenantProgram(scope.tenantId, path.programId);
  if (body.adapter === "local" && environment.name !== "local")
    throw invalid("body.adapter", "not_available", "local exists only in the local environment");
  const fault = body.url === undefined ? undefined : await receiverFault(body.url, "body.url");
  if (fault) throw new ApiError("VALIDATION_FAILED", [fault]);
  if (!environment.isSelfService) {
    const asked = await requestConnection(program, body, toActor(request));
    const inForce = await readConnection(program.programId, body.port);
    const view = toConnectionView(program.programId, inForce, program.createdAt);
    return accepted({ ...view, ...toRequestedView(asked) });
  }
  const connection = await connect(program, body, toActor(request));
  return {
    ...toConnectionView(program.programId, connection, program.createdAt),
    secret: connection.secret,
  };
};

/**
 * Answers the port's connection from now on: the default, or the one that replaced this one. A
 * default itself stays as it is. One that waits for the operator is withdrawn.
 */
export const deleteConnection: Operations["DELETE /account/programs/{programId}/connections/{connectionId}"] =
  async (request) => {
    const { scope, path } = request;
    const program = await getTenantProgram(scope.tenantId, path.programId);
    const asked = (await readRequests(program.programId)).find(
      (one) => one.connectionId === path.connectionId,
    );
    if (asked) await dropRequest(asked, "request.withdraw", toActor(request));
    const connection =
      asked && asked.subject !== "bank_account"
        ? await readConnection(program.programId, asked.subject)
        : await disconnect(program, path.connectionId, toActor(request));
    if (!connection) throw new ApiError("NOT_FOUND");
    return toConnectionView(program.programId, connection, program.createdAt);
  };
