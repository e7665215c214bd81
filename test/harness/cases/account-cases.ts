import type { GivenProgram } from "../given-cards.ts";
import { type EndpointCases, type Preparation, unknownId } from "./case.ts";
import { ticketCases } from "./ticket-cases.ts";

const programs = "/account/programs" as const;
const ofProgram = "/account/programs/{programId}" as const;

/** The id of another Program of the caller's Tenant, with nothing in its slots. */
export async function givenNewProgram({ call }: GivenProgram): Promise<string> {
  const { body } = await call(`POST ${programs}`, { body: { name: "Europe", currency: 3 } });
  return body.data.programId;
}

const inNewProgram: Preparation = async (program) => ({
  path: { programId: await givenNewProgram(program) },
});

const design = { cardType: 1, name: "Midnight", imageUrl: "https://cdn.example.com/midnight.png" };
const { cardType: _, ...redesign } = design;

/** In slot 1 of another Program: Rejected, or awaiting review. */
async function givenDesign(program: GivenProgram, outcome: "rejected" | "pending"): Promise<string> {
  const programId = await givenNewProgram(program);
  await program.call(`POST ${ofProgram}/card-designs`, { path: { programId }, body: design });
  if (outcome === "rejected") {
    await program.operate("reject-design", { programId, cardType: 1, reason: "The logo is not yours." });
  }
  return programId;
}

type Level = "program" | "tenant";

/** The path of a new API user with a key of another Program, or with a Tenant-level one. */
async function givenApiUser(program: GivenProgram, level: Level, revoked = false) {
  const body = { name: "Backend" };
  if (level === "tenant") {
    const created = await program.call("POST /account/api-users", { body });
    const path = { apiUserId: created.body.data.apiUserId as string };
    if (revoked) await program.call("DELETE /account/api-users/{apiUserId}", { path });
    return path;
  }
  const programId = await givenNewProgram(program);
  const created = await program.call(`POST ${ofProgram}/api-users`, { path: { programId }, body });
  const path = { programId, apiUserId: created.body.data.apiUserId as string };
  if (revoked) await program.call(`DELETE ${ofProgram}/api-users/{apiUserId}`, { path });
  return path;
}

function apiUserCases(level: Level): EndpointCases[] {
  const base = level === "tenant" ? "/account/api-users" : (`${ofProgram}/api-users` as const);
  const prepare: Preparation = level === "tenant" ? async () => ({}) : inNewProgram;
  const rotate = (overlapSeconds: number, revoked = false): Preparation => {
    return async (program) => ({
      path: await givenApiUser(program, level, revoked),
      body: { overlapSeconds },
    });
  };
  const custom = { role: "custom", operations: ["cards:read", "cards_issueCard"] };
  const change = (body: object, revoked = false): Preparation => {
    return async (program) => ({ path: await givenApiUser(program, level, revoked), body });
  };
  return [
    {
      route: `GET ${base}`,
      success: async (program) => {
        const { programId } = (await givenApiUser(program, level)) as { programId?: string };
        return programId ? { path: { programId } } : { query: { orderBy: "name", sort: "asc" } };
      },
    },
    {
      route: `POST ${base}`,
      success: async (program) => ({ ...(await prepare(program)), body: { name: "Backend" } }),
    },
    {
      route: `PUT ${base}/{apiUserId}`,
      success: change(custom),
      refusals: {
        VALIDATION_FAILED: change({ role: "custom", operations: ["cards_mintCard"] }),
        ILLEGAL_TRANSITION: change(custom, true),
      },
    },
    {
      route: `POST ${base}/{apiUserId}/rotate`,
      success: rotate(3_600),
      refusals: { VALIDATION_FAILED: rotate(-1), ILLEGAL_TRANSITION: rotate(0, true) },
    },
    {
      route: `DELETE ${base}/{apiUserId}`,
      success: async (program) => ({ path: await givenApiUser(program, level) }),
    },
  ];
}

/** Deletes the cases' own ranges (documentation networks) if the maximum is reached. */
async function givenRoom({ call }: GivenProgram): Promise<void> {
  const { body } = await call("GET /account/ip-allowlist", { query: { limit: "200" } });
  const own = (body.items as { entryId: string; cidr: string }[]).filter(({ cidr }) =>
    cidr.startsWith("2001:db8:"),
  );
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

const allowlistCases: EndpointCases[] = [
  {
    route: "GET /account/ip-allowlist",
    success: async () => ({ query: { orderBy: "cidr", sort: "asc" } }),
  },
  {
    route: "POST /account/ip-allowlist",
    success: async (program) => {
      await givenRoom(program);
      return { body: { cidr: "198.51.100.7", programId: await givenNewProgram(program) } };
    },
    refusals: {
      NOT_FOUND: async () => ({ body: { cidr: "192.0.2.0/24", programId: unknownId("prg") } }),
      LIMIT_REACHED: async (program) => {
        while (await givenRange(program));
        return { body: { cidr: "192.0.2.0/24", programId: await givenNewProgram(program) } };
      },
    },
  },
  {
    route: "DELETE /account/ip-allowlist/{entryId}",
    success: async (program) => {
      await givenRoom(program);
      return { path: { entryId: await givenRange(program) } };
    },
  },
];

export const accountCases: readonly EndpointCases[] = [
  { route: `GET ${programs}`, success: async () => ({ query: { orderBy: "programId" } }) },
  {
    route: `POST ${programs}`,
    success: async () => ({
      body: { name: "Europe", currency: 3, settings: { feeSchedule: [{ feeType: 1, amount: 250 }] } },
    }),
  },
  { route: `GET ${ofProgram}`, success: inNewProgram },
  { route: `GET ${ofProgram}/settings`, success: inNewProgram },
  {
    route: `PUT ${ofProgram}/settings`,
    success: async (program) => ({
      ...(await inNewProgram(program)),
      body: { issuanceApproval: 1, partialApproval: true, timeZone: "Europe/Berlin" },
    }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({
        ...(await inNewProgram(program)),
        body: { issuanceApproval: 2 },
      }),
    },
  },
  {
    route: `GET ${ofProgram}/card-designs`,
    success: async (program) => ({ path: { programId: await givenDesign(program, "pending") } }),
  },
  {
    route: `POST ${ofProgram}/card-designs`,
    success: async (program) => ({ ...(await inNewProgram(program)), body: design }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({
        path: { programId: await givenDesign(program, "pending") },
        body: design,
      }),
    },
  },
  {
    route: `PUT ${ofProgram}/card-designs/{cardType}`,
    success: async (program) => ({
      path: { programId: await givenDesign(program, "rejected"), cardType: "1" },
      body: redesign,
    }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({
        path: { programId: await givenDesign(program, "pending"), cardType: "1" },
        body: redesign,
      }),
    },
  },
  { route: `GET ${ofProgram}/connections`, success: inNewProgram },
  {
    route: `POST ${ofProgram}/connections`,
    success: async (program) => ({
      ...(await inNewProgram(program)),
      body: { port: "processor", adapter: "marqeta" },
    }),
    refusals: {
      LIMIT_REACHED: async (program) => {
        const request = {
          ...(await inNewProgram(program)),
          body: { port: "processor", adapter: "marqeta" },
        };
        for (let made = 0; made < 6; made += 1) await program.call(`POST ${ofProgram}/connections`, request);
        return request;
      },
    },
  },
  {
    route: `DELETE ${ofProgram}/connections/{connectionId}`,
    success: async (program) => {
      const programId = await givenNewProgram(program);
      const body = { port: "processor", adapter: "marqeta" };
      const created = await program.call(`POST ${ofProgram}/connections`, { path: { programId }, body });
      return { path: { programId, connectionId: created.body.data.connectionId } };
    },
  },
  ...apiUserCases("tenant"),
  ...apiUserCases("program"),
  ...allowlistCases,
  { route: "GET /account/notification-settings", success: async () => ({}) },
  {
    route: "PUT /account/notification-settings",
    success: async () => ({ body: { channel: "email", email: "certificates@example.com" } }),
  },
  ...ticketCases,
  {
    route: "GET /account/audit-log",
    success: async (program) => ({
      query: { action: "program.create", programId: await givenNewProgram(program), sort: "asc" },
    }),
  },
];
