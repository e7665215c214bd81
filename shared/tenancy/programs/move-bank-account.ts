import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { bankAccountClaims, withoutBankAccount } from "./bank-account.ts";
import { type Program, readProgram } from "./program.ts";
import { changeSettings, settingsWrites } from "./program-change.ts";

/** Sets a Program's account, whoever has it. Returns the Program that has lost it. */
export async function moveBankAccount(
  { tenantId, programId }: Program,
  bankAccount: string,
  actor: Actor,
): Promise<string | undefined> {
  let taken: Program | undefined;
  await changeSettings(tenantId, programId, { bankAccount }, actor, async () => {
    const claim = await bankAccountClaims.at(bankAccount).get();
    taken = claim && claim.programId !== programId ? await readProgram(claim.programId) : undefined;
    return taken;
  });
  return taken?.programId;
}

/** False if the Program does not have the account. */
export function releaseBankAccount(programId: string, bankAccount: string, actor: Actor): Promise<boolean> {
  return retry(async () => {
    const [claim, program] = await Promise.all([
      bankAccountClaims.at(bankAccount).get(),
      readProgram(programId),
    ]);
    if (claim?.programId !== programId || !program) return false;
    const { committed } = await transact([
      bankAccountClaims.at(bankAccount).delete({ programId }),
      ...settingsWrites(program, withoutBankAccount(program, bankAccount), actor),
      auditPut(actor, {
        tenantId: program.tenantId,
        programId,
        action: "bank-account.release",
        subjectId: programId,
        before: { bankAccount },
        after: null,
      }),
    ]);
    return committed || new Conflict("bank account");
  });
}
