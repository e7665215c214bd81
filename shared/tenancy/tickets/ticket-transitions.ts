import type { TicketStatus } from "../../contract/account-tickets.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/**
 * - comment: POST /account/tickets/{ticketId}/comments
 * - answer, resolve: platform administration
 * - reopen: POST /account/tickets/{ticketId}/reopen, within 72 hours
 * - close: 72 hours have passed
 */
export type TicketTrigger = "comment" | "answer" | "resolve" | "reopen" | "close";

/** Every legal change of a support ticket's status. A ticket is raised open. */
export const ticketTransitions = [
  { from: "open", trigger: "comment", to: "open" },
  { from: "pending", trigger: "comment", to: "open" },
  { from: "open", trigger: "answer", to: "pending" },
  { from: "pending", trigger: "answer", to: "pending" },
  { from: "open", trigger: "resolve", to: "resolved" },
  { from: "pending", trigger: "resolve", to: "resolved" },
  { from: "resolved", trigger: "reopen", to: "open" },
  { from: "resolved", trigger: "close", to: "closed" },
] as const satisfies TransitionTable<TicketStatus, TicketTrigger>;

/** Who may act next; nobody in a closed ticket: a new one is raised. */
export const nextActorOf = { open: "platform", pending: "tenant", resolved: "tenant", closed: null } as const;
