import { describeFault, type Message, readMessage } from "../../shared/adapters/iso8583/codec.ts";
import type { Dialect } from "../../shared/adapters/iso8583/dialect.ts";
import { dialects } from "../../shared/adapters/iso8583/dialects.ts";

/** @throws Error for the first fault */
export function decodeMessage(bytes: Uint8Array, dialect: Dialect = dialects.default): Message {
  const { message, faults } = readMessage(bytes, dialect);
  const [fault] = faults;
  if (fault) throw new Error(describeFault(fault));
  return message;
}
