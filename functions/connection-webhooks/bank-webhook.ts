import { iso20022 } from "../../shared/adapters/iso20022/iso20022.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { standardReceiver } from "./standard-receiver.ts";
import { applyReport } from "./webhook-receiver.ts";

/** Applied before it is answered. By file and by webhook it is one deposit. */
export const bankReceiver = standardReceiver({
  read({ body }) {
    const read = iso20022.readMessage(body);
    if ("reason" in read) throw new RefusedInputError("VALIDATION_FAILED", read.reason);
    return read;
  },
  apply: ({ eventId, event }, programId) =>
    applyReport({ kind: "bank_report", programId, event, origin: `webhook:${programId}:${eventId}` }),
});
