import { CustodyEvent } from "../../contract/custody.ts";
import { text } from "../../contract/primitives.ts";
import { RefusedInputError } from "../refused-input-error.ts";

const Message = CustodyEvent.extend({ eventId: text(64) });

/** A webhook of a custodian. @throws RefusedInputError */
export function readMessage(body: string): { readonly eventId: string; readonly event: CustodyEvent } {
  const read = Message.safeParse(parseJson(body));
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
    throw new RefusedInputError("VALIDATION_FAILED", faults.join("; "));
  }
  const { eventId, ...event } = read.data;
  return { eventId, event };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
