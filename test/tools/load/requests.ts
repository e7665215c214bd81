import { type Client, RequestRejectedError } from "../../../client/src/card-issuing.ts";
import { TransactionResult } from "../../../shared/contract/enums.ts";
import type { Random } from "../../harness/random.ts";
import { type Call, callsOf } from "../calls.ts";
import type { RequestKind } from "./kinds.ts";
import type { Population } from "./population.ts";

/** The notification that a request causes. Amounts of a run differ, so this identifies it. */
export interface Caused {
  readonly cardId: string;
  readonly result: number;
  readonly amount: number;
}

interface Open {
  readonly authorizationId: string;
  readonly cardId: string;
  readonly amount: number;
}

const largestTransfer = 5_000;
const listLimit = 20;

/** Sends one request of a kind, on random Cards and Wallets. */
export class Requests {
  readonly #call: Call;
  readonly #population: Population;
  readonly #random: Random;
  readonly #expect: (caused: Caused) => void;
  /** Approved and not cleared, the oldest first. */
  readonly #open: Open[] = [];
  #lastAmount = 0;

  /** `expect` is called when a request that causes a notification is answered. */
  constructor(client: Client, population: Population, random: Random, expect: (caused: Caused) => void) {
    this.#call = callsOf(client);
    this.#population = population;
    this.#random = random;
    this.#expect = expect;
  }

  /** Opens authorizations for the first clearings. */
  async prepare(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += 1) await this.send("authorization");
  }

  /** @throws Error with status and code, or what became of the connection */
  async send(kind: RequestKind): Promise<void> {
    try {
      await this.#senders[kind]();
    } catch (error) {
      if (error instanceof RequestRejectedError)
        throw new Error(`${error.status} ${error.body?.code ?? "without a code"}`);
      const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
      throw new Error(code ?? message);
    }
  }

  readonly #senders: Readonly<Record<RequestKind, () => Promise<unknown>>> = {
    authorization: () => this.#authorize(),
    clearing: () => this.#clear(),
    transfer: () => this.#transfer(),
    read: () => this.#read(),
  };

  async #authorize(): Promise<void> {
    this.#lastAmount += 1;
    const [cardId, amount] = [this.#card(), this.#lastAmount];
    const purchase = { amount, merchantName: "Load" };
    const data = await this.#call("POST /sandbox/cards/{cardId}/authorizations", { cardId }, purchase);
    if (!data.approved) throw new Error(`declined: ${data.declineReason}`);
    this.#expect({ cardId, result: TransactionResult.hold, amount });
    this.#open.push({ authorizationId: data.authorizationId, cardId, amount });
  }

  async #clear(): Promise<void> {
    const open = this.#open.shift();
    // Only with more clearings than authorizations; the schedule has fewer.
    if (open === undefined) throw new Error("no open authorization");
    const { authorizationId, cardId, amount } = open;
    await this.#call("POST /sandbox/authorizations/{authorizationId}/clear", { authorizationId });
    this.#expect({ cardId, result: TransactionResult.settlement, amount });
  }

  async #transfer(): Promise<void> {
    const body = {
      sourceWalletId: this.#wallet(),
      destinationType: 1,
      destinationId: this.#card(),
      amount: 1 + this.#random.below(largestTransfer),
    } as const;
    const data = await this.#call("POST /wallets/transfer", {}, body);
    if (data.transStatus !== 1) throw new Error(`declined: ${data.declineReason}`);
  }

  async #read(): Promise<void> {
    const call = this.#call;
    const [cardId, walletId] = [this.#card(), this.#wallet()];
    const reads = [
      () => call("GET /cards/{cardId}/balance", { cardId }),
      () => call("GET /cards/{cardId}", { cardId }),
      () => call("GET /wallets/{walletId}", { walletId }),
      () => call("GET /cards/transactions", {}, { cardId, limit: listLimit }),
      () => call("GET /wallets/{walletId}/transfers", { walletId }),
    ];
    await this.#random.pick<() => Promise<unknown>>(reads)();
  }

  #card(): string {
    return this.#random.pick(this.#population.cardIds);
  }

  #wallet(): string {
    return this.#random.pick(this.#population.walletIds);
  }
}
