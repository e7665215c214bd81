import type { GivenProgram } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

/** The path of a ticket that the Tenant has raised and the platform has resolved, or not. */
async function givenTicket(program: GivenProgram, status: "open" | "resolved" = "open") {
  const body = { subject: "A card does not arrive", message: "It was sent three weeks ago.\nWhere is it?" };
  const { ticketId } = (await program.call("POST /account/tickets", { body })).body.data;
  const { tenantId = "" } = program.caller;
  if (status === "resolved") await program.operate("resolve-ticket", { tenantId, ticketId });
  return { ticketId: ticketId as string };
}

const comment = (status: "open" | "resolved"): Preparation => {
  return async (program) => ({
    path: await givenTicket(program, status),
    body: { message: "It has come." },
  });
};

export const ticketCases: readonly EndpointCases[] = [
  {
    route: "GET /account/tickets",
    success: async (program) => {
      await givenTicket(program);
      return { query: { status: "open", priority: "5" } };
    },
  },
  {
    route: "POST /account/tickets",
    success: async () => ({ body: { subject: "Slow answers", message: "Since noon.", priority: 2 } }),
  },
  {
    route: "GET /account/tickets/{ticketId}",
    success: async (program) => ({ path: await givenTicket(program) }),
  },
  {
    route: "POST /account/tickets/{ticketId}/comments",
    success: comment("open"),
    refusals: {
      ILLEGAL_TRANSITION: comment("resolved"),
      LIMIT_REACHED: async (program) => {
        const request = { path: await givenTicket(program), body: { message: "Still nothing." } };
        const route = "POST /account/tickets/{ticketId}/comments";
        while ((await program.call(route, request)).status === 200);
        return request;
      },
    },
  },
  {
    route: "POST /account/tickets/{ticketId}/reopen",
    success: comment("resolved"),
    refusals: {
      ILLEGAL_TRANSITION: comment("open"),
      VALIDATION_FAILED: async (program) => ({
        path: await givenTicket(program, "resolved"),
        body: { message: "" },
      }),
    },
  },
];
