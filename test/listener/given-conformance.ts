import { toAuthorizationId, toFirstKeys } from "../../shared/adapters/authorization-identity.ts";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import type { CashNetworkUnderTest } from "../harness/conformance/cash-messages.ts";
import type { NetworkUnderTest } from "../harness/conformance/network-messages.ts";
import { decodeMessage } from "../harness/decode-message.ts";
import { givenConnection, later } from "./given-connection.ts";

/** The platform's own listener, as an adapter under test. */
export async function givenNetworkUnderTest(): Promise<NetworkUnderTest> {
  return toNetwork(await givenConnection({ availableMinor: 100_000_000 }));
}

export async function givenCashNetworkUnderTest(): Promise<CashNetworkUnderTest> {
  const feeMinor = 25;
  const connection = await givenConnection({ availableMinor: 100_000_000 });
  await connection.setProgram({ feeSchedule: [{ feeType: 3, amount: feeMinor, basisPoints: 0 }] });
  return {
    ...toNetwork(connection),
    feeMinor,
    clear: ({ fields }, amount, referenceCode) => {
      const authorizationId = toAuthorizationId({
        acquirer: fields[32] ?? "",
        retrievalReference: fields[37] ?? "",
        systemTrace: fields[11] ?? "",
        transmittedAt: fields[7] ?? "",
      });
      const keys = toFirstKeys(authorizationId, connection.cardId, amount);
      const at = new Date().toISOString();
      const similarTo = { id: authorizationId, differsIn: "reference", at, keys } as const;
      const event = { kind: "clearing", authorizationId, similarTo, amount, referenceCode } as const;
      return connection.apply({ ...event, eventId: `clearing:${referenceCode}` });
    },
    ledgerMinor: async () => (await connection.cardBalances())[2] ?? 0,
  };
}

function toNetwork({
  purchase,
  client,
  cardBalances,
}: Awaited<ReturnType<typeof givenConnection>>): NetworkUnderTest {
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
