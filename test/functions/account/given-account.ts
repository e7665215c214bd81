import { isDeepStrictEqual } from "node:util";
import { newId } from "../../../shared/platform/id.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { handlerOf } from "../../harness/given-cards.ts";
import { type Answer, replay } from "../../harness/replay.ts";
import { allStoredItems } from "../../harness/stored.ts";

/** A Tenant, as the holder of a Tenant-level key sees it. */
export interface GivenAccount {
  readonly tenantId: string;
  readonly apiUserId: string;
  /** Calls the endpoint `METHOD /path/{template}` with the Tenant-level key. */
  call(route: EventOptions["route"], options?: Omit<EventOptions, "route" | "caller">): Promise<Answer>;
  /** Creates a Program, by default without settings of its own. */
  newProgram(body?: object): Promise<string>;
  /** The entries of the audit log, the oldest first. */
  audit(): Promise<Record<string, unknown>[]>;
}

export async function givenAccount(): Promise<GivenAccount> {
  const { tenantId } = await operate("create-tenant", {
    name: "Tenant",
    contactEmail: "contact@customer.example",
  });
  const apiUserId = newId("apiUser");
  const caller = { level: "tenant", tenantId, apiUserId } as const;
  const call: GivenAccount["call"] = (route, options) =>
    replay(handlerOf(route), apiEvent({ ...options, route, caller }));
  return {
    tenantId,
    apiUserId,
    call,
    newProgram: async (body = {}) => {
      const answer = await call("POST /account/programs", {
        body: { name: "Program", currency: 0, ...body },
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.data.programId;
    },
    audit: async () =>
      (await call("GET /account/audit-log", { query: { sort: "asc", orderBy: "auditId", limit: "200" } }))
        .body.items,
  };
}

/** Status and code of an answer. */
export const verdict = ({ status, body }: Answer) => [status, body.code ?? "OK"];

/** What `work` answered, and whether it left every item of both tables as it was. */
export async function unchanged(work: () => Promise<Answer>): Promise<readonly [...unknown[], boolean]> {
  const before = await allStoredItems();
  const answer = await work();
  return [...verdict(answer), isDeepStrictEqual(await allStoredItems(), before)];
}
