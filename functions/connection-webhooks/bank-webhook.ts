import { iso20022 } from "../../shared/adapters/iso20022/iso20022.ts";
import { applyReport, standardReceiver } from "./standard-receiver.ts";

/** Applied before it is answered. By file and by webhook it is one deposit. */
export const bankReceiver = standardReceiver({
  read: ({ body }) => iso20022.readMessage(body),
  apply: ({ eventId, event }, programId) =>
    applyReport({ kind: "bank_report", programId, event, origin: `webhook:${programId}:${eventId}` }),
});
