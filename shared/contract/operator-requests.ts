import * as z from "zod";
import { bankAccount } from "./bank-account.ts";
import { ConnectionAdapter, ConnectionPort } from "./connections.ts";
import { id, prose, timestamp } from "./primitives.ts";

/** What a Tenant can ask for, where the operator has to approve it. */
export const RequestSubject = z.enum(["bank_account", ...ConnectionPort.options]);
export type RequestSubject = z.output<typeof RequestSubject>;

const programId = id("program");
const connectionId = id("connection");
const account = z.object({ programId, bankAccount });
const connection = z.object({ programId, connectionId });

/** Commands about collecting accounts and connections, of `operatorCommands`. */
export const requestCommands = {
  "list-requests": {
    about: "What waits for the operator's approval, by Program. Only in environments without a sandbox.",
    input: z.object({ limit: z.int().min(1).max(100).default(50) }),
    output: z.object({
      requests: z.array(
        z.object({
          programId,
          tenantId: id("tenant"),
          subject: RequestSubject,
          bankAccount: z.string().optional(),
          connectionId: connectionId.optional(),
          adapter: ConnectionAdapter.optional(),
          url: z.string().optional(),
          dateRequested: timestamp,
        }),
      ),
    }),
  },
  "approve-bank-account": {
    about: "Sets the account that the Program has asked for.",
    input: account,
    output: account,
  },
  "approve-connection": {
    about:
      "Connects the Program as it has asked for, and shows the secret once: it is for the other side. If the answer is lost, a repetition draws another id and secret.",
    input: connection,
    output: z.object({
      programId,
      connectionId,
      port: ConnectionPort,
      adapter: ConnectionAdapter,
      webhookUrl: z.url(),
      secret: z.string(),
    }),
  },
  "reject-request": {
    about: "Refuses what a Program has asked for. The customer sees the reason.",
    input: z.object({ programId, subject: RequestSubject, reason: prose(500) }),
    output: z.object({ programId, subject: RequestSubject }),
  },
  "end-connection": {
    about: "Ends a connection, and refuses its webhooks from now on: the port has its default again.",
    input: connection,
    output: connection,
  },
  "set-bank-account": {
    about: "Sets a Program's collecting account, also if another Program has it: then it loses it.",
    input: account,
    output: account.extend({ movedFrom: programId.optional() }),
  },
  "release-bank-account": {
    about: "Takes an account from its Program: what the bank reports of it is rejected then.",
    input: account,
    output: account,
  },
};
