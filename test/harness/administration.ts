import type { z } from "zod";
import { handler as certificates } from "../../functions/certificates/handler.ts";
import { handler as operator } from "../../functions/operator/handler.ts";
import { authorityCommands } from "../../shared/contract/authority.ts";
import { operatorCommands } from "../../shared/contract/operator.ts";
import { startKeyServer } from "./key-server.ts";
import { lambdaContext } from "./replay.ts";

/** Every command of platform administration, whichever function takes it. */
export const administrationCommands = { ...operatorCommands, ...authorityCommands };

type Commands = typeof administrationCommands;
export type CommandName = keyof Commands;
export type CommandOutput<C extends CommandName> = z.output<Commands[C]["output"]>;

export type Operate = <C extends CommandName>(command: C, input: unknown) => Promise<CommandOutput<C>>;

/** Whether the certificates function takes the command, and not the operator function. */
export function isOfAuthorities(command: CommandName): boolean {
  return Object.hasOwn(authorityCommands, command);
}

/** Input and output pass through JSON, as in Lambda. The CAs' keys are created on first use. */
export const operate: Operate = async (command, input) => {
  const event = JSON.parse(JSON.stringify({ command, input })) as { command: string };
  let output: unknown;
  if (isOfAuthorities(command)) {
    await startKeyServer();
    output = await certificates(event, lambdaContext);
  } else {
    output = await operator(event, lambdaContext);
  }
  return administrationCommands[command].output.parse(JSON.parse(JSON.stringify(output))) as never;
};
