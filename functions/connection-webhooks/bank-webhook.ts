import { iso20022 } from "../../shared/adapters/iso20022/iso20022.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { applyReport } from "./apply-now.ts";
import { standardReceiver } from "./standard-receiver.ts";

/** Applied before it is answered. By file and by webhook it is one deposit. */
export const bankReceiver = standardReceiver({
  read({ body }) {
    const read = iso20022.readMessage(body);
    if ("reason" in read) throw new RefusedInputError("VALIDATION_FAILED", read.reason);
    return read;
  },
  async apply({ eventId, event }, programId) {
    const origin = `webhook:${programId}:${eventId}`;
    const outcome = await applyReport({ kind: "bank_report", programId, event, origin });
    if (outcome.status === "rejected") throw new RefusedInputError("VALIDATION_FAILED", outcome.reason);
  },
});
