import { after, and, created, type EndpointCases, type Preparation } from "./case.ts";

const raised = created(
  "POST /account/tickets",
  async () => ({
    body: { subject: "A card does not arrive", message: "It was sent three weeks ago.\nWhere is it?" },
  }),
  "ticketId",
);

/** The platform has resolved it. */
const resolved: Preparation = async (program) => {
  const { path } = await raised(program);
  const { tenantId = "" } = program.caller;
  await program.operate("resolve-ticket", { tenantId, ...path });
  return { path };
};

const comments = "POST /account/tickets/{ticketId}/comments";
const come = { body: { message: "It has come." } };

export const ticketCases: EndpointCases = {
  "GET /account/tickets": after(raised, { query: { status: "open", priority: "5" } }),
  "POST /account/tickets": { body: { subject: "Slow answers", message: "Since noon.", priority: 2 } },
  "GET /account/tickets/{ticketId}": raised,
  [comments]: [
    and(raised, come),
    {
      ILLEGAL_TRANSITION: and(resolved, come),
      LIMIT_REACHED: async (program) => {
        const request = await and(raised, { body: { message: "Still nothing." } })(program);
        while ((await program.call(comments, request)).status === 200);
        return request;
      },
    },
  ],
  "POST /account/tickets/{ticketId}/reopen": [
    and(resolved, come),
    {
      ILLEGAL_TRANSITION: and(raised, come),
      VALIDATION_FAILED: and(resolved, { body: { message: "" } }),
    },
  ],
};
