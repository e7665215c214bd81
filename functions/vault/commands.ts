import type { Context } from "aws-lambda";
import * as z from "zod";
import { id } from "../../shared/contract/primitives.ts";
import { type VaultCommand, vaultCallers, vaultCommands } from "../../shared/contract/vault.ts";
import { unavailable } from "../../shared/platform/invoke-function.ts";
import { correlated, log } from "../../shared/platform/log.ts";
import type { Command } from "./command.ts";

const pin = () => import("./pin.ts");

const commands: { readonly [C in VaultCommand]: () => Promise<Command<C>> } = {
  reveal: async () => (await import("./reveal.ts")).reveal,
  resolve: async () => (await import("./resolve.ts")).resolve,
  "public-key": async () => (await import("./public-key.ts")).publicKey,
  "set-pin": async () => (await pin()).setPin,
  "verify-pin": async () => (await pin()).verifyPin,
  "pins-set": async () => (await pin()).pinsSet,
  "forget-pin": async () => (await import("./pin.ts")).forgetPin,
  "verify-cvv": async () => (await import("./resolve.ts")).verifyCvv,
  "compute-cavv": async () => (await import("./cavv.ts")).computeCavv,
  "verify-cavv": async () => (await import("./cavv.ts")).verifyCavv,
  "hash-numbers": async () => (await import("./hash-numbers.ts")).hashNumbers,
  "export-production": async () => (await import("./production.ts")).exportProduction,
  "import-pin-key": async () => (await import("./import-keys.ts")).importPinKey,
  provision: async () => (await import("./wallets/provision.ts")).provision,
  "sandbox-wallet": async () => (await import("./wallets/sandbox-wallet.ts")).viewSandboxWallet,
  "open-payload": async () => (await import("./wallets/open-payload.ts")).openPayload,
  "seal-account": async () => (await import("./accounts.ts")).sealAccount,
  "open-accounts": async () => (await import("./accounts.ts")).openAccounts,
  "local-pin-key": async () => (await import("./pin-zone.ts")).localPinKey,
};

const callers: ReadonlyMap<string, readonly VaultCommand[]> = new Map(Object.entries(vaultCallers));

const Invocation = z.object({
  command: z.enum(Object.keys(vaultCommands) as VaultCommand[]),
  input: z.unknown(),
  /** The request that the caller serves. */
  callerRequestId: z.string().optional(),
});

const Subject = z.object({
  programId: id("program").optional(),
  cardId: id("card").optional(),
  cards: z.array(z.object({ cardId: id("card") })).optional(),
  externalAccountId: id("externalAccount").optional(),
  accounts: z.array(z.object({ externalAccountId: id("externalAccount") })).optional(),
});

export async function carryOut(event: unknown, context: Context): Promise<unknown> {
  const { command, input, callerRequestId } = parse(Invocation, event);
  const { input: Input, output: Output } = vaultCommands[command];
  return correlated({ requestId: context.awsRequestId, command }, async () => {
    const { caller, isGranted } = readCaller(context, command);
    const fields = { caller, callerRequestId, ...readSubject(input) };
    if (!isGranted) {
      log.warn("The command was denied.", fields);
      throw new Error(`No right to ${command}.`);
    }
    const run = (await commands[command]()) as (given: unknown) => Promise<unknown>;
    const given = parse<z.ZodType>(Input, input);
    const output: Record<string, unknown> = Output.parse(
      await run(given).catch((error) => fail(error, fields)),
    );
    // PCI DSS 10.2.1.1: each access to card data is logged, without any.
    log.info("The command was carried out.", { ...fields, ...readSubject(output), outcome: output.outcome });
    return output;
  });
}

/** The ids of the Cards and external accounts that are named. */
function readSubject(named: unknown): Record<string, unknown> {
  const { success, data } = Subject.safeParse(named);
  if (!success) return {};
  const { cards, accounts, ...ids } = data;
  return {
    ...ids,
    ...(cards && { cardIds: cards.map(({ cardId }) => cardId) }),
    ...(accounts && {
      externalAccountIds: accounts.map(({ externalAccountId }) => externalAccountId),
    }),
  };
}

/** Says to the caller whether a repetition may help, and nothing else. */
async function fail(error: unknown, fields: Record<string, unknown>): Promise<never> {
  log.warn("The command failed.", { ...fields, error: error instanceof Error ? error.name : "unknown" });
  const { publicError } = await import("../../shared/platform/http/response.ts");
  if (publicError(error).code !== "UNAVAILABLE") throw error;
  throw Object.assign(new Error("The vault is unavailable."), { name: unavailable });
}

/** The alias that was invoked, which IAM grants to one role, names the caller. */
function readCaller({ invokedFunctionArn }: Context, command: VaultCommand) {
  const caller = invokedFunctionArn.split(":")[7] ?? "";
  return { caller, isGranted: callers.get(caller)?.includes(command) === true };
}

/** A fault names its place, never the value, which may be a card number. */
function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path }) => path.join(".") || "input");
  throw new Error(`Not valid: ${faults.join(", ")}.`);
}
