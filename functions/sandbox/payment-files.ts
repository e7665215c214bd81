import { makeFiles } from "../../shared/payments/make-files.ts";
import { readXml } from "../../shared/payments/payment-file.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** What is pending, as the bank gets it. Without anything pending, there is no file. */
export const makePaymentFiles: Operations["POST /payment-files"] = async ({ scope: { programId } }) => {
  const made = await makeFiles(programId);
  const files = made.map(async ({ fileId, kind, count, sumMinor: sum }) => ({
    ...{ fileId, kind, count, sum },
    xml: (await readXml(fileId)) ?? "",
  }));
  return { files: await Promise.all(files) };
};
