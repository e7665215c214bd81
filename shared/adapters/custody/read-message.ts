import { CustodyEvent } from "../../contract/custody.ts";
import { text } from "../../contract/primitives.ts";
import { readShape } from "../read-json.ts";

const Message = CustodyEvent.extend({ eventId: text(64) });

/** A webhook of a custodian. @throws RefusedInputError */
export function readMessage(body: string): { readonly eventId: string; readonly event: CustodyEvent } {
  const { eventId, ...event } = readShape(Message, body);
  return { eventId, event };
}
