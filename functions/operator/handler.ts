import type { Context } from "aws-lambda";
import * as z from "zod";
import { ApiError } from "../../shared/api-error.ts";
import { timestamp } from "../../shared/clock.ts";
import { type OperatorCommand, operatorCommands } from "../../shared/contract/operator.ts";
import { log } from "../../shared/log.ts";
import type { Actor } from "../../shared/tenant/audit.ts";
import { allowIp } from "./allow-ip.ts";
import { type Command, CommandRefused, refusalOf } from "./command.ts";
import { createApiKey } from "./create-api-key.ts";
import { createProgram } from "./create-program.ts";
import { createTenant } from "./create-tenant.ts";
import { decideIssuance, listIssuances } from "./decide-issuance.ts";
import { recordDiscard } from "./record-discard.ts";
import { refuseCardholder } from "./refuse-cardholder.ts";
import { registerCertificate } from "./register-certificate.ts";
import { approveDesign, listDesigns, rejectDesign } from "./review-design.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { revokeCertificate } from "./revoke-certificate.ts";
import { setNotifications } from "./set-notifications.ts";
import { setRateLimits } from "./set-rate-limits.ts";
import { answerTicket, listTickets, resolveTicket, viewTicket } from "./tickets.ts";

const commands: { readonly [C in OperatorCommand]: Command<C> } = {
  "create-tenant": createTenant,
  "create-program": createProgram,
  "set-rate-limits": setRateLimits,
  "record-discard": recordDiscard,
  "create-api-key": createApiKey,
  "revoke-api-key": revokeApiKey,
  "register-certificate": registerCertificate,
  "revoke-certificate": revokeCertificate,
  "allow-ip": allowIp,
  "set-notifications": setNotifications,
  "list-designs": listDesigns,
  "approve-design": approveDesign,
  "reject-design": rejectDesign,
  "list-issuances": listIssuances,
  "decide-issuance": decideIssuance,
  "refuse-cardholder": refuseCardholder,
  "list-tickets": listTickets,
  "view-ticket": viewTicket,
  "answer-ticket": answerTicket,
  "resolve-ticket": resolveTicket,
};

const Invocation = z.object({
  command: z.enum(Object.keys(operatorCommands) as [OperatorCommand, ...OperatorCommand[]]),
  input: z.unknown(),
});

/**
 * Platform administration by direct invocation with `{command, input}`; answers the command's output.
 *
 * @throws CommandRefused for an unknown command, an input that its schema refuses, and whatever the command itself refuses.
 */
export async function handler(event: unknown, context: Context): Promise<unknown> {
  const { command, input } = parse(Invocation, event);
  log.resetKeys();
  log.appendKeys({ requestId: context.awsRequestId, command });
  const output = await run(command, input, {
    at: timestamp(),
    by: `operator:${context.awsRequestId}`,
    requestId: context.awsRequestId,
  });
  log.info("The command was carried out.");
  return output;
}

async function run<C extends OperatorCommand>(command: C, input: unknown, actor: Actor): Promise<unknown> {
  const schemas = operatorCommands[command];
  const carryOut = commands[command] as (input: unknown, actor: Actor) => Promise<unknown>;
  const output = await carryOut(parse(schemas.input, input), actor).catch((error: unknown) => {
    throw error instanceof ApiError ? refusalOf(error) : error;
  });
  return schemas.output.parse(output);
}

/** A fault names its place and never the value: a certificate or a key may stand there. */
function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  throw new CommandRefused(faults.join("; "));
}
