import type { GivenProgram } from "../given-cards.ts";
import { again, and, called, type EndpointCases, type Preparation, unknownId } from "./case.ts";
import { ticketCases } from "./ticket-cases.ts";

const ofProgram = "/account/programs/{programId}";

/** The id of another Program of the caller's Tenant, with nothing in its slots. */
export async function givenNewProgram({ call }: GivenProgram): Promise<string> {
  const { body } = await call("POST /account/programs", { body: { name: "Europe", currency: 3 } });
  return body.data.programId;
}

const inNewProgram: Preparation = async (program) => ({
  path: { programId: await givenNewProgram(program) },
});

const design = { cardType: 1, name: "Midnight", imageUrl: "https://cdn.example.com/midnight.png" };
const { cardType: _, ...redesign } = design;

/** In slot 1 of another Program: awaiting review. */
const pendingDesign = called(`POST ${ofProgram}/card-designs`, inNewProgram, design);
const ofSlot =
  (first: Preparation): Preparation =>
  async (program) => ({ path: { ...(await first(program)).path, cardType: "1" }, body: redesign });

const rejectedDesign: Preparation = async (program) => {
  const request = await pendingDesign(program);
  await program.operate("reject-design", { ...request.path, cardType: 1, reason: "The logo is not yours." });
  return request;
};

/** With a key of another Program, or with a Tenant-level one. */
function apiUserCases(
  base: "/account/api-users" | `${typeof ofProgram}/api-users`,
  where: Preparation,
): EndpointCases {
  const named = and(where, { body: { name: "Backend" } });
  const given: Preparation = async (program) => {
    const { path, body } = await named(program);
    const created = await program.call(`POST ${base}`, { path, body });
    return { path: { ...path, apiUserId: created.body.data.apiUserId } };
  };
  const revoked = called(`DELETE ${base}/{apiUserId}`, given);
  const custom = { role: "custom", operations: ["cards:read", "cards_issueCard"] };
  const cases: EndpointCases = { [`DELETE ${base}/{apiUserId}`]: given };
  cases[`GET ${base}`] = async (program) => {
    const { programId } = (await given(program)).path ?? {};
    return programId ? { path: { programId } } : { query: { orderBy: "name", sort: "asc" } };
  };
  cases[`POST ${base}`] = named;
  cases[`PUT ${base}/{apiUserId}`] = [
    and(given, { body: custom }),
    {
      VALIDATION_FAILED: and(given, { body: { role: "custom", operations: ["cards_mintCard"] } }),
      ILLEGAL_TRANSITION: and(revoked, { body: custom }),
    },
  ];
  cases[`POST ${base}/{apiUserId}/rotate`] = [
    and(given, { body: { overlapSeconds: 3_600 } }),
    {
      VALIDATION_FAILED: and(given, { body: { overlapSeconds: -1 } }),
      ILLEGAL_TRANSITION: and(revoked, { body: { overlapSeconds: 0 } }),
    },
  ];
  return cases;
}

/** Deletes the cases' own ranges (documentation networks) if the maximum is reached. */
async function givenRoom({ call }: GivenProgram): Promise<void> {
  const { body } = await call("GET /account/ip-allowlist", { query: { limit: "200" } });
  const items: { entryId: string; cidr: string }[] = body.items;
  const own = items.filter(({ cidr }) => cidr.startsWith("2001:db8:"));
  if (own.length < 20) return;
  for (const { entryId } of own) {
    await call("DELETE /account/ip-allowlist/{entryId}", { path: { entryId } });
  }
}

let ranges = 0;

async function givenRange(program: GivenProgram): Promise<string> {
  ranges += 1;
  const body = { cidr: `2001:db8:${ranges.toString(16)}::/48` };
  const { body: answer } = await program.call("POST /account/ip-allowlist", { body });
  return answer.data?.entryId;
}

const processor = { port: "processor", adapter: "marqeta" };
const connecting = and(inNewProgram, { body: processor });

export const accountCases: EndpointCases = {
  "GET /account/programs": { query: { orderBy: "programId" } },
  "POST /account/programs": {
    body: { name: "Europe", currency: 3, settings: { feeSchedule: [{ feeType: 1, amount: 250 }] } },
  },
  "GET /account/programs/{programId}": inNewProgram,
  "GET /account/programs/{programId}/settings": inNewProgram,
  "PUT /account/programs/{programId}/settings": [
    and(inNewProgram, { body: { issuanceApproval: 1, partialApproval: true, timeZone: "Europe/Berlin" } }),
    { VALIDATION_FAILED: and(inNewProgram, { body: { issuanceApproval: 2 } }) },
  ],
  "GET /account/programs/{programId}/card-designs": pendingDesign,
  "POST /account/programs/{programId}/card-designs": and(inNewProgram, { body: design }),
  "PUT /account/programs/{programId}/card-designs/{cardType}": [
    ofSlot(rejectedDesign),
    { ILLEGAL_TRANSITION: ofSlot(pendingDesign) },
  ],
  "GET /account/programs/{programId}/connections": inNewProgram,
  "POST /account/programs/{programId}/connections": [connecting, { LIMIT_REACHED: again(6) }],
  "DELETE /account/programs/{programId}/connections/{connectionId}": async (program) => {
    const { path, body } = await connecting(program);
    const { data } = (await program.call(`POST ${ofProgram}/connections`, { path, body })).body;
    return { path: { ...path, connectionId: data.connectionId } };
  },
  ...apiUserCases("/account/api-users", async () => ({})),
  ...apiUserCases("/account/programs/{programId}/api-users", inNewProgram),
  "GET /account/ip-allowlist": { query: { orderBy: "cidr", sort: "asc" } },
  "POST /account/ip-allowlist": [
    async (program) => {
      await givenRoom(program);
      return { body: { cidr: "198.51.100.7", programId: await givenNewProgram(program) } };
    },
    {
      NOT_FOUND: { body: { cidr: "192.0.2.0/24", programId: unknownId("prg") } },
      LIMIT_REACHED: async (program) => {
        while (await givenRange(program));
        return { body: { cidr: "192.0.2.0/24", programId: await givenNewProgram(program) } };
      },
    },
  ],
  "DELETE /account/ip-allowlist/{entryId}": async (program) => {
    await givenRoom(program);
    return { path: { entryId: await givenRange(program) } };
  },
  "GET /account/notification-settings": {},
  "PUT /account/notification-settings": { body: { channel: "email", email: "certificates@example.com" } },
  ...ticketCases,
  "GET /account/audit-log": async (program) => ({
    query: { action: "program.create", programId: await givenNewProgram(program), sort: "asc" },
  }),
};
