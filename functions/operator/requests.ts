import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRejected } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, auditProgram } from "../../shared/tenancy/audit-log.ts";
import { disconnect, toConnectionView } from "../../shared/tenancy/connections/connection-change.ts";
import { approveConnection as connectAsAsked } from "../../shared/tenancy/connections/connection-request.ts";
import { withoutBankAccount } from "../../shared/tenancy/programs/bank-account.ts";
import { bankAccountClaims } from "../../shared/tenancy/programs/collecting-account.ts";
import { type Program, readProgram } from "../../shared/tenancy/programs/program.ts";
import { changeSettings, settingsWrites } from "../../shared/tenancy/programs/program-change.ts";
import { doneWith, dropRequest, requests } from "../../shared/tenancy/requests.ts";
import { type Command, requireProgram } from "./command.ts";

export const listRequests: Command<"list-requests"> = async ({ limit }) => {
  const found = await requests.first(limit);
  return {
    requests: found.map(({ requestedAt: dateRequested, ...request }) => ({ ...request, dateRequested })),
  };
};

/**
 * @throws CommandRejected if the Program has no such request
 * @throws ApiError VALIDATION_FAILED if the account is another Program's
 */
export const approveBankAccount: Command<"approve-bank-account"> = async (account, actor) => {
  const { tenantId, programId } = await requireProgram(account.programId);
  const { bankAccount } = account;
  const request = await requests.at(programId, "bank_account").get();
  if (request?.bankAccount !== bankAccount)
    throw new CommandRejected(`${programId} has not asked for the account ${bankAccount}.`);
  await changeSettings(tenantId, programId, { bankAccount }, actor);
  await transact([doneWith(request)]);
  return account;
};

/** @throws CommandRejected if no connection with this id waits or is in force */
export const approveConnection: Command<"approve-connection"> = async (named, actor) => {
  const program = await requireProgram(named.programId);
  const connection = await connectAsAsked(program, named.connectionId, actor);
  if (!connection) throw new CommandRejected(`No connection ${named.connectionId} waits or is in force.`);
  const { programId } = program;
  const { connectionId, port, adapter, secret } = connection;
  const { webhookUrl } = toConnectionView(programId, connection, program.createdAt);
  return { programId, connectionId, port, adapter, webhookUrl, secret };
};

/** @throws CommandRejected if the Program has no such request */
export const rejectRequest: Command<"reject-request"> = async ({ programId, subject, reason }, actor) => {
  const request = await requests.at(programId, subject).get();
  const isDropped = request && (await dropRequest(request, "request.reject", actor, reason));
  if (!isDropped) throw new CommandRejected(`No ${subject} of ${programId} waits.`);
  return { programId, subject };
};

/** @throws CommandRejected if the Program has no connection with this id */
export const endConnection: Command<"end-connection"> = async ({ programId, connectionId }, actor) => {
  const connection = await disconnect(await requireProgram(programId), connectionId, actor);
  if (!connection) throw new CommandRejected(`${programId} has no connection ${connectionId}.`);
  return { programId, connectionId };
};

/** @throws CommandRejected if the Program does not exist */
export const setBankAccount: Command<"set-bank-account"> = async ({ programId, bankAccount }, actor) => {
  const movedFrom = await moveBankAccount(await requireProgram(programId), bankAccount, actor);
  return { programId, bankAccount, movedFrom };
};

/** @throws CommandRejected if it is not the Program's */
export const dropBankAccount: Command<"release-bank-account"> = async (account, actor) => {
  const { programId, bankAccount } = account;
  if (!(await releaseBankAccount(programId, bankAccount, actor)))
    throw new CommandRejected(`${bankAccount} is not an account of ${programId}.`);
  return account;
};

/** Sets a Program's account, also if another Program has it. Returns that one. */
async function moveBankAccount({ tenantId, programId }: Program, bankAccount: string, actor: Actor) {
  let taken: Program | undefined;
  const readTaken = async () => {
    const claim = await bankAccountClaims.at(bankAccount).get();
    taken = claim && claim.programId !== programId ? await readProgram(claim.programId) : undefined;
    return taken;
  };
  await changeSettings(tenantId, programId, { bankAccount }, actor, { readTaken });
  return taken?.programId;
}

/** False if the Program does not have the account. */
function releaseBankAccount(programId: string, bankAccount: string, actor: Actor): Promise<boolean> {
  return retry(async () => {
    const [claim, program] = await Promise.all([
      bankAccountClaims.at(bankAccount).get(),
      readProgram(programId),
    ]);
    if (claim?.programId !== programId || !program) return false;
    const { committed } = await transact([
      bankAccountClaims.at(bankAccount).delete({ programId }),
      ...settingsWrites(program, withoutBankAccount(program, bankAccount), actor),
      auditProgram(actor, program, "bank-account.release", { before: { bankAccount }, after: null }),
    ]);
    return committed || new Conflict("bank account");
  });
}
