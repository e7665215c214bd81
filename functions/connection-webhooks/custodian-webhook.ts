import { readMessage } from "../../shared/adapters/custody/read-message.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { applyCustody } from "./apply-now.ts";
import { standardReceiver } from "./standard-receiver.ts";

/** Applied before it is answered. By its transaction and output, it is one deposit. */
export const custodianReceiver = standardReceiver({
  read: ({ body }) => readMessage(body),
  async apply({ event }, programId) {
    const outcome = await applyCustody({ kind: "custody_report", programId, event });
    if (outcome.status === "rejected") throw new RefusedInputError("VALIDATION_FAILED", outcome.reason);
  },
});
