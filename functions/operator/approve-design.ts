import { DesignStatus } from "../../shared/contract/enums.ts";
import { environment } from "../../shared/environment.ts";
import type { CardDesign } from "../../shared/program/card-design.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import type { Command } from "./command.ts";
import { requireCommitted } from "./existence.ts";

/**
 * Approves a card design for a slot of the Program, so that Cards can be issued with it. The last approval stands.
 *
 * @throws CommandRefused when there is no such Program.
 */
export const approveDesign: Command<"approve-design"> = async ({ programId, cardType, name }, audit) => {
  const design: CardDesign = {
    programId,
    cardType,
    name,
    status: DesignStatus.approved,
    updatedAt: audit.at,
    updatedBy: audit.by,
  };
  requireCommitted(
    await transact([
      {
        name: `Program ${programId}`,
        ConditionCheck: {
          TableName: environment.accountsTable,
          Key: accountsKey.program(programId),
          ConditionExpression: "attribute_exists(pk)",
        },
      },
      {
        name: "design",
        Put: {
          TableName: environment.accountsTable,
          Item: { ...accountsKey.design(programId, cardType), ...design },
        },
      },
    ]),
  );
  return { cardType };
};
