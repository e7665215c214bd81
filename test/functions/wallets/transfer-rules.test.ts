import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cards } from "../../../shared/cards/card.ts";
import { splitWallet } from "../../../shared/ledger/hot/split-wallet.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { operate } from "../../harness/administration.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { handlerOf } from "../../harness/given-cards.ts";
import { setAttributes } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { type Answer, replay } from "../../harness/replay.ts";
import { readTable } from "../../harness/rules-table.ts";
import { storedItems } from "../../harness/stored.ts";

const statuses = { pending: 0, "on hold": 2, closed: 3, "not activated": 4 } as const;

interface Request extends Omit<EventOptions, "caller" | "headers"> {
  readonly key: string;
  readonly body: Record<string, unknown>;
}

async function givenAccounts(given: string, isHot: boolean) {
  const [programId, others] = [await givenStoredProgram(), await givenStoredProgram()];
  const onCard = Number(/C (\d+)/.exec(given)?.[1] ?? 0);
  const ids: Record<string, string> = {
    ...{ W: await givenStoredWallet(programId, 6_500), V: await givenStoredWallet(programId) },
    ...{ C: await givenStoredCard(programId, 1, onCard) },
    ...{ T: await givenStoredWallet(others, 100), U: await givenStoredCard(others, 1, 100) },
  };
  const [, status] = Object.entries(statuses).find(([name]) => given.includes(`C ${name}`)) ?? [];
  if (status !== undefined) await setAttributes(programId, ids.C ?? "", { issuerCardStatus: status });
  if (isHot) await splitWallet(programId, { kind: "wallet", accountId: ids.W ?? "" }, 0);
  return { programId, ids };
}

class Row {
  readonly #ids: Record<string, string>;
  readonly #programId: string;
  readonly #sent = new Map<string, Answer>();
  #first: Request | undefined;
  #depositId = "";

  constructor({ programId, ids }: Awaited<ReturnType<typeof givenAccounts>>) {
    this.#programId = programId;
    this.#ids = ids;
  }

  async step(text: string): Promise<Answer | undefined> {
    const [verb = "", name = "", amount = ""] = text.split(" ");
    const cardId = this.#ids.C ?? "";
    switch (verb) {
      case "again":
        return this.#again();
      case "changed":
        return this.#send({ ...(this.#first as Request), body: { ...this.#first?.body, amount: 399 } });
      case "V":
        return this.#send({
          ...(this.#first as Request),
          body: { ...this.#first?.body, destinationId: this.#ids.V },
        });
      case "close":
        await transact([cards.at(this.#programId, cardId).update({ set: { issuerCardStatus: 3 } })]);
        return undefined;
      case "block":
        await operate("block-card", { programId: this.#programId, cardId });
        return undefined;
      case "hold":
        return this.#call("POST /cards/{cardId}/authorizations", { cardId }, { amount: Number(amount) });
      case "debit":
        return this.#call("POST /cards/{cardId}/force-post", { cardId }, { amount: Number(amount) });
      case "clear":
      case "reverse":
      case "return":
        return this.#call(`POST /deposits/{depositId}/${verb}`, { depositId: this.#depositId });
      case "bank":
        return this.#deposit("bank-deposit", name, { amount: Number(amount) });
      case "deposit":
      case "pending":
        return this.#deposit("deposits", name, { amount: Number(amount), pending: verb === "pending" });
      default:
        return this.#move(verb, Number(name), amount === "partly");
    }
  }

  async #deposit(route: string, name: string, body: Record<string, unknown>): Promise<Answer> {
    const answer = await this.#call(
      `POST /wallets/{walletId}/${route}`,
      { walletId: this.#ids[name] ?? "" },
      body,
    );
    this.#depositId = answer.body.data.depositId;
    return answer;
  }

  /** `W>C:wallet`: the names of both sides, or as what they are named. */
  #move(sides: string, amount: number, allowPartial: boolean): Promise<Answer> {
    const [from, to] = sides.split(">").map((side) => {
      const [name = "", as] = side.split(":");
      const kind = as ?? (name === "C" || name === "U" ? "card" : "wallet");
      return { kind, id: this.#ids[name] ?? newId(kind as "card" | "wallet") };
    });
    if (from?.kind === "card")
      return this.#call("POST /cards/{cardId}/unload", { cardId: from.id }, { walletId: to?.id, amount });
    const destination = { destinationType: to?.kind === "card" ? 1 : 0, destinationId: to?.id };
    const body = { sourceWalletId: from?.id, ...destination, amount, ...(allowPartial && { allowPartial }) };
    return this.#call("POST /wallets/transfer", {}, body);
  }

  #call(route: `POST /${string}`, path: Record<string, string>, body: Record<string, unknown> = {}) {
    const request = { route, path, body, key: newId("event") };
    this.#first ??= request;
    return this.#send(request);
  }

  /** The first answer, and nothing is written. */
  async #again(): Promise<Answer> {
    const request = this.#first as Request;
    const before = await storedItems(this.#programId);
    const answer = await this.#send(request);
    expect(answer.body).toEqual(this.#sent.get(JSON.stringify(request))?.body);
    expect(await storedItems(this.#programId)).toEqual(before);
    return answer;
  }

  async #send(request: Request): Promise<Answer> {
    const { key, body, ...options } = request;
    const hasBody = !/(clear|reverse|return)$/.test(options.route);
    const event = apiEvent({
      ...{ ...options, caller: { programId: this.#programId }, headers: { "Idempotency-Key": key } },
      ...(hasBody && { body }),
    });
    const answer = await replay(handlerOf(options.route), event);
    const place = JSON.stringify(request);
    this.#sent.set(place, this.#sent.get(place) ?? answer);
    return answer;
  }
}

/** As a row writes it. */
function textOf({ status, body: { code, data } }: Answer): string {
  if (status !== 200) return code;
  if (data.transStatus === 2) return data.declineReason;
  return `${data.transStatus === 3 ? "part" : "moved"} ${data.transferredAmount}`;
}

async function play([steps = "", ends = "", last = "-", given = ""]: readonly string[], isHot: boolean) {
  const accounts = await givenAccounts(given, isHot);
  const { programId, ids } = accounts;
  const row = new Row(accounts);
  let answer: Answer | undefined;
  for (const group of steps.split(", ")) {
    const before = await storedItems(programId);
    const answers = await Promise.all(group.split(" & ").map((step) => row.step(step)));
    answer = answers.at(-1);
    // What is refused leaves nothing.
    if (answer && answer.status !== 200) expect(await storedItems(programId)).toEqual(before);
  }
  const items = await expectBooksInOrder(programId);
  const available = ["W", "V", "C"].map((name) => balancesIn(items, ids[name] ?? "").availableMinor);
  const shown = ends.split(" ").map((cell, index) => (cell === "-" ? cell : available[index]));
  expect(shown.join(" ")).toBe(ends);
  if (last !== "-" && answer) expect(textOf(answer)).toBe(last);
}

const rules = readTable(readFileSync(new URL("transfer-rules.txt", import.meta.url), "utf8"));

describe.each([
  ["a Wallet", false],
  ["a hot Wallet", true],
] as const)("of %s", (_, isHot) => {
  describe.each(rules)("$of", ({ rows }) => {
    it.each(rows)("%s", (_rule, ...row) => play(row, isHot));
  });
});
