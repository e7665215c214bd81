import type { Context } from "aws-lambda";
import * as z from "zod";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { correlated, log } from "../../platform/log.ts";
import "../../platform/table/client.ts";
import { withinInvocation } from "../../platform/time-budget.ts";
import type { Actor } from "../audit-log.ts";
import { CommandRejected, toCommandRejected } from "./command-rejected.ts";

/** The commands that a function takes: the schemas of what goes in and of what comes out. */
type CommandContract = Readonly<Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>>;

/**
 * Implements each command: takes the validated input and the actor, returns the output,
 * throws `CommandRejected`.
 */
export type Commands<C extends CommandContract> = {
  readonly [Name in keyof C]: (
    input: z.output<C[Name]["input"]>,
    actor: Actor,
  ) => Promise<z.output<C[Name]["output"]>>;
};

/** The same, each imported when it is first given. */
type CommandImports<C extends CommandContract> = {
  readonly [Name in keyof C]: () => Promise<Commands<C>[Name]>;
};

/**
 * Direct invocation with `{command, input, caller}`, signed by the caller. Contract and commands
 * are imported when first needed.
 * @throws CommandRejected for an unknown command, an invalid input, and whatever the command
 * rejects
 */
export function commandHandler<C extends CommandContract>(
  loadContract: () => Promise<C>,
  commands: CommandImports<C>,
) {
  return (event: unknown, context: Context): Promise<unknown> =>
    withinInvocation(context, () => carryOut(event, context));

  async function carryOut(event: unknown, context: Context): Promise<unknown> {
    const { awsRequestId: requestId } = context;
    const contract = await loadContract();
    const Invocation = z.object({
      command: z.enum(Object.keys(contract)),
      input: z.unknown(),
      caller: z.unknown().optional(),
    });
    const { command, input, caller } = parse(Invocation, event);
    const schemas = contract[command] as CommandContract[string];
    const imported = commands[command] as CommandImports<CommandContract>[string];
    return correlated({ requestId, command }, async () => {
      const by = `operator:${await readCaller(command, input, caller, context)}`;
      const run = await imported();
      const actor: Actor = { at: timestamp(), by, requestId };
      const output = await run(parse(schemas.input, input), actor).catch((error: unknown) => {
        throw error instanceof ApiError ? toCommandRejected(error) : error;
      });
      log.info("The command was carried out.", { by });
      return schemas.output.parse(output);
    });
  }
}

/**
 * The ARN of the signer. Unsigned commands work only in the local environment.
 * @throws CommandRejected
 */
async function readCaller(command: string, input: unknown, caller: unknown, { invokedFunctionArn }: Context) {
  if (environment.name === "local") return "local";
  if (caller === undefined)
    throw new CommandRejected("The command is not signed. Send it with npm run operator.");
  const { CallerProof } = await import("../../contract/caller-proof.ts");
  const { verifyCaller } = await import("./verify-caller.ts");
  const given = { environment: environment.name, command, input };
  return verifyCaller(given, parse(CallerProof, caller), invokedFunctionArn);
}

/** A fault names its place, never the value, which may be a certificate or a key. */
function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
  throw new CommandRejected(faults.join("; "));
}
