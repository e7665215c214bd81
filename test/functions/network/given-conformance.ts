import { decodeMessage, type Message } from "../../../shared/adapters/iso8583/codec.ts";
import type { NetworkUnderTest } from "../../harness/conformance/network-messages.ts";
import { givenConnection, later } from "./given-connection.ts";

/** The platform's own listener, as an adapter under test. */
export async function givenNetworkUnderTest(): Promise<NetworkUnderTest> {
  const { purchase, client, cardBalances } = await givenConnection({ availableMinor: 100_000_000 });
  const minute = new Date(Date.now() - 600_000).toISOString().replace(/\D/g, "").slice(4, 12);
  const at = (message: Message, second: number): Message => ({
    ...message,
    fields: { ...message.fields, 7: `${minute}${String(second).padStart(2, "0")}` },
  });
  return {
    sendBytes: (message) => client.sendBytes(message),
    responseOf: (answer) => decodeMessage(answer).fields[39],
    purchase: (amountMinor, second, fields) => at(purchase(amountMinor, fields), second),
    later: (mti, first, second, fields = {}) => at(later(mti, first, fields), second),
    heldMinor: async () => (await cardBalances())[1] ?? 0,
  };
}
