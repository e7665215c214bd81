import { listPage } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { CardDesign, toCardDesignView } from "../../shared/tenancy/programs/card-design.ts";
import { getProgramOf } from "../../shared/tenancy/programs/program.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * The designs in a Program's slots, whatever their status.
 *
 * @throws ApiError NOT_FOUND
 */
export const listCardDesigns: AccountOperations["GET /account/programs/{programId}/card-designs"] = async ({
  scope,
  path: { programId },
  query,
}) => {
  await getProgramOf(scope.tenantId, programId);
  return listPage(
    {
      records: {
        table: "accounts",
        partitions: [{ ...accountsKey.design(programId, 0), sk: "DESIGN#" }],
      },
      orders: { cardType: "cardType", dateSubmitted: "createdAt" },
      view: (item) => toCardDesignView(CardDesign.parse(item)),
    },
    query,
  );
};
