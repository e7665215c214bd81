import { makeFiles } from "../../shared/payments/make-files.ts";
import { readXml } from "../../shared/payments/payment-file.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

/** An answer has at most 6 MB: of all files together, so many characters. */
const mostXml = 4_000_000;

/** What is pending, as the bank gets it. Without anything pending, there is no file. */
export const makePaymentFiles: Operations["POST /payment-files"] = async ({ scope: { programId } }) => {
  const files = [];
  let left = mostXml;
  for (const { fileId, kind, count, sumMinor: sum } of await makeFiles(programId)) {
    const read = await readXml(fileId);
    const xml = read?.next === undefined && (read?.xml.length ?? 0) <= left ? read?.xml : undefined;
    left -= xml?.length ?? 0;
    files.push({ fileId, kind, count, sum, ...(xml !== undefined && { xml }) });
  }
  return { files };
};
