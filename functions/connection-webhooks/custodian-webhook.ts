import { readMessage } from "../../shared/adapters/custody/read-message.ts";
import { applyReport, standardReceiver } from "./standard-receiver.ts";

/** Applied before it is answered. By its transaction and output, it is one deposit. */
export const custodianReceiver = standardReceiver({
  read: ({ body }) => readMessage(body),
  apply: ({ event }, programId) => applyReport({ kind: "custody_report", programId, event }),
});
