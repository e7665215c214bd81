import type { SQSEvent } from "aws-lambda";
import { withHotWallets } from "../../shared/ledger/hot/with-hot-wallets.ts";
import { deferredHandler } from "../../shared/platform/deferred-handler.ts";
import type { Formats } from "./file-format.ts";

/** Imported with the first file of their kind. */
const formats: Formats = {
  bank: async () => {
    const [{ readBankFiles }, { iso20022 }, { applyReport }, { followStatement }] = await Promise.all([
      import("./bank-files.ts"),
      import("../../shared/adapters/iso20022/iso20022.ts"),
      withHotWallets(import("../../shared/payments/apply-report.ts")),
      withHotWallets(import("../../shared/deposits/bank/follow-statement.ts")),
    ]);
    return readBankFiles(iso20022, applyReport, followStatement);
  },
  clearing: async () => (await withHotWallets(import("./clearing-files.ts"))).clearingFiles,
};

export const handler = deferredHandler(async () => {
  const { consumeFiles } = await import("./consume-files.ts");
  return (event: SQSEvent) => consumeFiles(event, formats);
});
