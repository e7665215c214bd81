import { onTestFinished } from "vitest";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import type { DialectName } from "../../shared/adapters/iso8583/dialects.ts";
import type { Card } from "../../shared/cards/card.ts";
import { givenCardNumber, givenListener, givenPorts } from "../harness/given-listener.ts";
import { givenNetwork } from "../harness/given-network.ts";
import { NetworkClient } from "../harness/network-client.ts";

let traces = 0;
/** The data elements by which a new message is known. */
function newIdentity() {
  traces += 1;
  const trace = String(traces).padStart(6, "0");
  const time = new Date().toISOString().replace(/\D/g, "").slice(4, 14);
  return { 7: time, 11: trace, 32: "12345", 37: `REF${trace}000` };
}

export const toAmount = (minor: number) => String(minor).padStart(12, "0");

export async function givenConnection({
  availableMinor = 10_000,
  dialect = "default",
  attributes,
}: {
  availableMinor?: number;
  dialect?: DialectName;
  /** Of the Card, before its number is drawn. */
  attributes?: Partial<Card>;
} = {}) {
  const network = await givenNetwork({ availableMinor });
  if (attributes) await network.setCard(attributes);
  const card = await givenCardNumber(network.programId, network.cardId);
  const ports = givenPorts();
  const { port } = await givenListener(ports, dialect);
  const client = await NetworkClient.connect(port, dialect);
  onTestFinished(() => client.close());
  const purchase = (amount: number, more: Message["fields"] = {}): Message => ({
    mti: "0100",
    fields: {
      2: card.cardNumber,
      3: "000000",
      4: toAmount(amount),
      ...newIdentity(),
      14: card.expiry,
      18: "5411",
      22: "051",
      41: "TERM0001",
      42: "MERCHANT0000001",
      43: `${"CORNER SHOP".padEnd(23)}${"BERLIN".padEnd(13)}  DE`,
      49: "840",
      ...more,
    },
  });
  const send = (message: Message) => client.send(message);
  /** DE39 of the answer. */
  const code = async (message: Message) => (await send(message)).fields[39];
  return { ...network, ...card, ports, client, purchase, send, code, port };
}

/** DE90 of a later message. */
const originalOf = ({ mti, fields }: Message) =>
  `${mti}${fields[11]}${fields[7]}${(fields[32] ?? "").padStart(11, "0")}${"0".repeat(11)}`;

export function later(mti: string, first: Message, more: Message["fields"] = {}): Message {
  const own = { ...newIdentity(), 37: first.fields[37] ?? "" };
  return { mti, fields: { ...first.fields, ...own, 90: originalOf(first), ...more } };
}

export const withFields = (message: Message, fields: Message["fields"]): Message => ({
  ...message,
  fields: { ...message.fields, ...fields },
});

/** DE7, so many seconds later. */
function secondsAfter({ fields }: Message, seconds: number): string {
  const [month, day, hour, minute, second] = (fields[7] ?? "").match(/\d\d/g)?.map(Number) ?? [];
  const year = new Date().getUTCFullYear();
  const at = new Date(Date.UTC(year, (month ?? 1) - 1, day, hour, minute, (second ?? 0) + seconds));
  return at.toISOString().replace(/\D/g, "").slice(4, 14);
}

/** A repetition with a DE7 of its own. */
export const again = (message: Message, seconds = 1): Message => ({
  ...withFields(message, { 7: secondsAfter(message, seconds) }),
  mti: `${message.mti.slice(0, 3)}1`,
});

const part = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`;
const joined = (parts: Readonly<Record<string, string>>) =>
  Object.keys(parts)
    .toSorted()
    .map((id) => part(id, parts[id] ?? ""))
    .join("");

/** DE48 with the token in subelement 33, and DE124 with its device. */
export function tokenFields(reference: string, device: Readonly<Record<string, string>> = {}) {
  const token = joined({ "02": "4900000000001235", "06": "40010030273", "09": reference });
  const phone = {
    "01": "P",
    "02": "phone-1",
    "03": "Ada's phone",
    "04": "en-GB",
    "05": "203.0.113.7",
    "06": "G",
  };
  return { 48: `T${part("33", token)}`, 124: joined({ ...phone, ...device }) };
}
