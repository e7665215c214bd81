import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { toAuthorizationId, toFirstKeys, toTime } from "../../shared/adapters/authorization-identity.ts";
import type { Message } from "../../shared/adapters/iso8583/codec.ts";
import { tokenRules } from "../../shared/tokens/token-rules.ts";
import { givenListener } from "../harness/given-listener.ts";
import { NetworkClient } from "../harness/network-client.ts";
import { readTable } from "../harness/rules-table.ts";
import { storedItems } from "../harness/stored.ts";
import { givenAddress } from "./given-address.ts";
import { again, givenConnection, later, toAmount, tokenFields, withFields } from "./given-connection.ts";

const mtis: Readonly<Record<string, string>> = {
  ...{ purchase: "0100", cash: "0100", verification: "0100", credit: "0100", inquiry: "0100" },
  ...{ increase: "0100", advice: "0120", cancel: "0400", reverse: "0420" },
  ...{ token: "0100", suspend: "0620", resume: "0620", delete: "0620" },
};
const processingCodes: Readonly<Record<string, string>> = {
  cash: "010000",
  inquiry: "310000",
  credit: "200000",
  token: "330000",
};
const ofToken = ["token", "suspend", "resume", "delete"];
const approvals = ["00", "10", "85"];
/** Each has a word after it. */
const keywords = ["of", "as", "at", "after", "left", "named", "no"];

/** A message of a row, by its words. */
interface Step {
  readonly verb: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly isSent: boolean;
}

function toStep(text: string): Step {
  const [verb = "", name = "", ...words] = text.replace(/[()]/g, "").split(" ");
  return { verb, name, words, isSent: !text.startsWith("(") };
}

/** What follows the word. */
const after = ({ words }: Step, word: string) =>
  words.includes(word) ? words[words.indexOf(word) + 1] : undefined;
const found = ({ words }: Step, sign: string) =>
  words.find((one) => one.startsWith(sign))?.slice(sign.length);

/** The messages of a row, each made when it is first named. */
class Messages {
  readonly #steps: readonly Step[];
  readonly #purchase: Awaited<ReturnType<typeof givenConnection>>["purchase"];
  readonly #made = new Map<string, Message>();
  readonly #printed: { readonly cvv: string };

  constructor(steps: readonly Step[], { purchase, cvv }: Awaited<ReturnType<typeof givenConnection>>) {
    this.#steps = steps;
    this.#purchase = purchase;
    this.#printed = { cvv };
  }

  named(name: string | undefined): Message {
    const step = this.#steps.find((one) => (after(one, "named") ?? one.name) === name && one.verb in mtis);
    const repetition = this.#steps.find((one) => after(one, "named") === name);
    const made = this.#made.get(name ?? "") ?? this.#make((step ?? repetition) as Step);
    this.#made.set(name ?? "", made);
    return made;
  }

  /** What the step sends. */
  of(step: Step): Message {
    if (step.verb in mtis) return this.named(step.name);
    return after(step, "named") ? this.named(after(step, "named")) : this.#make(step);
  }

  #make(step: Step): Message {
    const { verb, words } = step;
    const message = this.#basis(step);
    const own = words.filter((_, index) => !keywords.includes(words[index - 1] ?? ""));
    const fields = Object.fromEntries(own.flatMap((word) => this.#field(word)));
    const [left, at, earlier, without] = ["left", "at", "after", "no"].map((word) => after(step, word));
    if (left) fields[95] = `${toAmount(Number(left))}${"0".repeat(30)}`;
    if (at) fields[7] = this.named(at).fields[7] ?? "";
    if (earlier) fields[7] = again(this.named(earlier)).fields[7] ?? "";
    if (words.includes("own")) fields[37] = this.#purchase(0).fields[37] ?? "";
    if (ofToken.includes(verb)) Object.assign(fields, { ...this.#token(step), ...fields });
    if (verb in processingCodes) fields[3] ??= processingCodes[verb] ?? "";
    const whole = withFields(message, fields);
    const absent = words.flatMap((word, index) => (word === "no" ? [words[index + 1]?.slice(2)] : []));
    const kept = Object.entries(whole.fields).filter(([field]) => !(without && absent.includes(field)));
    return { mti: found(step, "MTI=") ?? whole.mti, fields: Object.fromEntries(kept) };
  }

  /** DE48 names the token of its request, and DE124 says what its wallet did. */
  #token(step: Step): Record<string, string> {
    const { verb, name } = step;
    const asked = after(step, "of") ?? after(step, "as") ?? name;
    return tokenFields(`DNITHE-${asked}`, verb === "token" ? {} : { "07": verb.slice(0, 1).toUpperCase() });
  }

  #basis(step: Step): Message {
    const { verb, name } = step;
    const [of, as] = [after(step, "of"), after(step, "as")];
    const mti = mtis[verb] ?? "";
    if (verb === "resend") return this.named(name);
    if (verb === "repeat") return { ...this.named(name), mti: `${this.named(name).mti.slice(0, 3)}1` };
    if (verb === "again") return again(this.named(name), Number(found(step, "+") ?? 1));
    if (as) return { ...this.named(as), mti };
    return of ? later(mti, this.named(of)) : { ...this.#purchase(0), mti };
  }

  /** The Card's code, another one, and what names a token. */
  #filled(value: string): string {
    const { cvv } = this.#printed;
    const other = String((Number(cvv) + 1) % 1_000).padStart(3, "0");
    const token = /\{token (\w+)\}/.exec(value)?.[1];
    if (token) return tokenFields(`DNITHE-${token}`)[48];
    return value.replace("{code}", cvv).replace("{other}", other);
  }

  #field(word: string): [string, string][] {
    if (/^\d+$/.test(word)) return [["4", toAmount(Number(word))]];
    if (word === "approved" || word === "declined") return [["39", word === "approved" ? "00" : "05"]];
    const [, field = "", value = ""] = /^DE(\d+)=(.*)$/.exec(word) ?? [];
    if (field === "") return [];
    if (value === "blank") return [[field, " ".repeat(12)]];
    // A space divides words.
    return [[field, field === "6" ? toAmount(Number(value)) : this.#filled(value.replaceAll("_", " "))]];
  }
}

/** `cvc=match,threeDS=exempted`. */
const toResults = (text: string) => Object.fromEntries(text.split(",").map((one) => one.split("=")));

/** What is stored of the last purchase. */
async function shownOf(
  { programId }: { programId: string },
  records: () => Promise<Record<string, unknown>[]>,
) {
  const all = [...(await storedItems(programId)), ...(await records())] as {
    sk: string;
    verification?: object;
  }[];
  const hold = all.find(({ sk }) => sk === "HOLD");
  return { ...hold?.verification, ...("tokenId" in (hold ?? {}) && { token: "named" }) };
}

/** As the record of a clearing file names a message. */
function toNamed({ fields }: Message, cardId: string, amount: number) {
  const [acquirer, retrievalReference, systemTrace, transmittedAt] = [32, 37, 11, 7].map(
    (field) => fields[field] ?? "",
  ) as [string, string, string, string];
  const id = toAuthorizationId({ acquirer, retrievalReference, systemTrace, transmittedAt });
  const keys = toFirstKeys(id, cardId, amount);
  const at = toTime(transmittedAt, new Date())?.toISOString() ?? "";
  return { authorizationId: id, similarTo: { id, differsIn: "reference" as const, at, keys } };
}

async function playRow([steps = "", ends = "", ...given]: readonly string[]): Promise<void> {
  const numberOf = (word: string) =>
    Number(new RegExp(`${word} (\\d+)`).exec(given.join())?.[1] ?? Number.NaN);
  const connection = await givenConnection({ availableMinor: numberOf("available") || undefined });
  const { client, ports, setProgram, balances, records, apply, programId } = connection;
  const [, otherwise] = /otherwise (\w+)/.exec(given.join()) ?? [];
  if (otherwise)
    await tokenRules.at(programId).createNow({ rules: { rules: [], otherwise } as never, version: 1 });
  if (given.join().includes("at Main Street")) await givenAddress(connection);
  const fee = numberOf("fee");
  if (fee) await setProgram({ feeSchedule: [{ feeType: 3, amount: fee, basisPoints: 0 }] });
  const other = steps.includes("@other") && (await NetworkClient.connect((await givenListener(ports)).port));
  for (let time = 0; time < (numberOf("times") || 1); time += 1) {
    const groups = steps.split(", ").map((group) => group.split(" & ").map(toStep));
    const messages = new Messages(groups.flat(), connection);
    const answers = new Map<string, Message>();
    const send = async (step: Step): Promise<void> => {
      const by = step.words.includes("@other") && other ? other : client;
      const { fields, mti } = await by.send(messages.of(step));
      const code = found(step, "=") ?? "00";
      if (code !== "?") expect([step.verb, step.name, fields[39]]).toEqual([step.verb, step.name, code]);
      for (const word of step.words.filter((one) => one.startsWith("^"))) {
        const [field = "", value] = word.slice(1).split("=");
        expect([step.name, fields[Number(field)]]).toEqual([step.name, value]);
      }
      if (!approvals.includes(fields[39] ?? "")) expect(fields).not.toHaveProperty("54");
      // A repetition has the answer of its message.
      const isSame = !step.words.some((word) => /^(\d+$|DE|MTI)/.test(word));
      const { 7: _, ...same } = fields;
      const first = isSame && !(step.verb in mtis) ? answers.get(step.name) : undefined;
      if (first) expect({ mti, fields: same }).toEqual(first);
      if (isSame || step.verb in mtis) answers.set(step.name, first ?? { mti, fields: same });
    };
    for (const group of groups) {
      if (group[0]?.verb === "settle") {
        const { authorizationId } = ports.events[0] as unknown as { authorizationId: string };
        const amount = Number(group[0].name);
        const of = after(group[0], "of");
        const named = of ? toNamed(messages.named(of), connection.cardId, amount) : { authorizationId };
        await apply({ kind: "clearing", ...named, amount });
        continue;
      }
      const isRepeated = group.every(({ verb, name }) => !(verb in mtis) && answers.has(name));
      const before = isRepeated ? await records() : [];
      await Promise.all(group.filter(({ isSent }) => isSent).map(send));
      const isNew = group.some(({ words }) => words.some((word) => /^(DE|MTI)/.test(word)));
      if (isRepeated && !isNew) expect(await records()).toEqual(before);
    }
  }
  expect((await balances()).join(" ")).toBe(ends);
  const [, verified] = /verified (\S+)/.exec(given.join()) ?? [];
  if (verified) expect(await shownOf(connection, records)).toMatchObject(toResults(verified));
  const [, kept = "0"] = /kept (.*)/.exec(given.join()) ?? [];
  const reasons = ports.refused.map(({ reason }) => reason);
  expect(/^\d+$/.test(kept) ? String(reasons.length) : reasons.join(" ")).toBe(kept);
}

const rules = readTable(readFileSync(new URL("message-rules.txt", import.meta.url), "utf8"));

describe.each(rules)("$of", ({ rows }) => {
  it.each(rows)("%s", (_, ...row) => playRow(row));
});
