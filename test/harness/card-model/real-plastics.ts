import { deepStrictEqual } from "node:assert/strict";
import { makeAuthentication } from "../../../shared/authentications/ask-authentication.ts";
import { authentications } from "../../../shared/authentications/authentication.ts";
import { decideChallenge, expireInApp } from "../../../shared/authentications/end-challenge.ts";
import { authenticationRules } from "../../../shared/authentications/rules.ts";
import { cards } from "../../../shared/cards/card.ts";
import { execute } from "../../../shared/changes/execute.ts";
import type { TokenRules } from "../../../shared/contract/tokens.ts";
import { plastics, toNumberId, toPlastics } from "../../../shared/plastics/plastic.ts";
import { ApiError } from "../../../shared/platform/http/api-error.ts";
import { newId } from "../../../shared/platform/id.ts";
import { toTokenId } from "../../../shared/platform/token-id.ts";
import { stepped } from "../../../shared/tokens/steps.ts";
import { tokens } from "../../../shared/tokens/token.ts";
import { tokenRules } from "../../../shared/tokens/token-rules.ts";
import { shippingAddress } from "../given-cards.ts";
import type { Network } from "../given-network.ts";
import { activatePending, endOldPlastic, replacePlastic } from "../given-plastics.ts";
import { vault } from "../given-vault.ts";
import type { Outcome } from "./answers.ts";
import type { Card } from "./card.ts";
import type { Command } from "./commands.ts";
import { slotName, tokenName } from "./to-event.ts";

type Own = Extract<
  Command,
  { readonly do: "replace" | "activate" | "endOlder" | "authenticate" | "challenge" | "tokenStep" }
>;

export function isOfPlastics(command: Command): command is Own {
  return ["replace", "activate", "endOlder", "authenticate", "challenge", "tokenStep"].includes(command.do);
}

type Presented = Pick<Command & { do: "authorization" }, "proof" | "cavv" | "cvc">;

/** What a real Card has beside its money, and what is asked of it by the API. */
export class RealPlastics {
  readonly #network: Network;
  /** By their places in the chain. */
  readonly #plasticIds: string[] = [];
  readonly #authenticationIds: string[] = [];

  private constructor(network: Network) {
    this.#network = network;
  }

  static async open(network: Network, physical: boolean): Promise<RealPlastics> {
    const { programId } = network;
    await network.setProgram({ threeDSecure: true });
    if (physical)
      await network.setCard({ cardForm: 1, shippingAddress: { recipient: "ADA", ...shippingAddress } });
    const inApp = { when: { channel: "app" }, then: "challenge" } as const;
    await authenticationRules.at(programId).createNow({ rules: [inApp], otherwise: "approve", version: 1 });
    const rules: TokenRules = {
      rules: [{ when: { wallet: ["apple_pay"] }, then: "step_up" }],
      otherwise: "approve",
    };
    await tokenRules.at(programId).createNow({ rules, version: 1 });
    const real = new RealPlastics(network);
    real.#plasticIds.push(...(await real.#chain()).map(({ plasticId }) => plasticId));
    return real;
  }

  plasticId(place: number): string | undefined {
    return this.#plasticIds[place];
  }

  /** What the purchase says of it, as a processor that asks the vault about its CAVV would. */
  async verification({ proof, cavv: kind, cvc }: Presented) {
    const { programId, cardId } = this.#network;
    const authenticationId = proof === undefined ? undefined : this.#authenticationIds[proof];
    const said = { ...(cvc && { cvc }), ...(kind === "wrong" && { threeDS: "failed" }) };
    const verification = Object.keys(said).length > 0 ? { verification: said } : {};
    if (authenticationId === undefined) return verification;
    if (kind === undefined) return { authenticationId, ...verification };
    const { cavv } = await vault("compute-cavv", { programId, cardId, authenticationId });
    const bytes = Buffer.from(cavv, "base64");
    if (kind === "wrong") bytes[19] = (bytes[19] ?? 0) ^ 1;
    const found = await vault("verify-cavv", { programId, cardId, cavv: bytes.toString("base64") });
    deepStrictEqual(
      found,
      kind === "wrong" ? { outcome: "differs" } : { outcome: "matches", authenticationId },
    );
    return { ...(kind === "right" && { authenticationId }), ...verification };
  }

  /** `id`: its key, under which it can be sent again. */
  async happen(command: Own, id: string): Promise<Outcome> {
    const { programId } = this.#network;
    switch (command.do) {
      case "replace":
        return this.#replace(command, id);
      case "activate":
        return this.#activate(id);
      case "endOlder":
        await endOldPlastic(this.#network);
        return {};
      case "authenticate":
        return this.#authenticate(command);
      case "challenge":
        return this.#endChallenge(command);
      case "tokenStep": {
        const tokenId = toTokenId(programId, "visa", tokenName(command.reference));
        const outcome = await execute(stepped, { programId, tokenId, trigger: command.step, by: "program" });
        return "rejected" in outcome ? { code: outcome.rejected } : { state: outcome.answer.token.state };
      }
    }
  }

  async #authenticate({ challenged, token }: Own & { readonly do: "authenticate" }): Promise<Outcome> {
    const { programId, cardId } = this.#network;
    const authenticationId = newId("authentication");
    const channel = challenged ? ("app" as const) : ("browser" as const);
    const tokenId = token === undefined ? undefined : toTokenId(programId, "visa", tokenName(token));
    const purchase = {
      amountMinor: 100_000,
      merchant: {},
      channel,
      exemptions: [],
      ...(tokenId && { tokenId }),
    };
    try {
      const { state } = await makeAuthentication({ programId, cardId, authenticationId, ...purchase });
      this.#authenticationIds.push(authenticationId);
      return { state };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { code: error.code };
    }
  }

  async #replace({ reason, plastic }: Own & { readonly do: "replace" }, id: string): Promise<Outcome> {
    const plasticId = plastic === undefined || reason === "renewed" ? undefined : this.#plasticIds[plastic];
    try {
      const { state, sequence, ...made } = await replacePlastic(this.#network, { reason, plasticId }, id);
      this.#plasticIds[sequence - 1] = made.plasticId;
      return { state, sequence };
    } catch (error) {
      if (error instanceof ApiError) return { code: error.code };
      throw error;
    }
  }

  async #endChallenge({ nth, end }: Own & { readonly do: "challenge" }): Promise<Outcome> {
    const { programId } = this.#network;
    const authenticationId = this.#authenticationIds[nth] ?? newId("authentication");
    if (end === "expired") {
      await expireInApp(programId, authenticationId);
      return {};
    }
    const outcome = await execute(decideChallenge, { programId, authenticationId, outcome: end });
    return "rejected" in outcome ? { code: outcome.rejected } : { state: outcome.answer.state };
  }

  async #activate(id: string): Promise<Outcome> {
    try {
      await activatePending(this.#network, id);
      return { isActivated: true };
    } catch (error) {
      if (error instanceof ApiError) return { isActivated: false };
      throw error;
    }
  }

  async #chain() {
    const { programId, cardId } = this.#network;
    const [card, stored] = await Promise.all([
      cards.at(programId, cardId).require(),
      plastics.list(programId, cardId),
    ]);
    return toPlastics(card, stored).toSorted((one, other) => one.sequence - other.sequence);
  }

  /** As `chainText` and the others say of the model. */
  async shown(references: readonly number[]) {
    const { programId, cardId } = this.#network;
    const [card, chain] = await Promise.all([cards.at(programId, cardId).require(), this.#chain()]);
    const place = (plasticId: string | undefined) => {
      const found = this.#plasticIds.indexOf(plasticId ?? "");
      return found < 0 ? undefined : found;
    };
    const shown = card.plasticId === undefined ? 0 : place(card.plasticId);
    const numberOf = (one: (typeof chain)[number]) => place(toNumberId(one)) ?? 0;
    return {
      plastics: [
        ...chain.map((one) => `${one.state} ${numberOf(one)}`),
        `shown ${shown}`,
        `pending ${place(card.pendingPlasticId)}`,
        `awaits ${card.awaitsPlastic === true}`,
      ],
      proofs: await Promise.all(
        this.#authenticationIds.map(async (id) => {
          const { state, authorizationId } = await authentications.at(programId, id).require();
          return `${state} ${authorizationId}`;
        }),
      ),
      tokens: await Promise.all(
        references.map(async (reference) => {
          const tokenId = toTokenId(programId, "visa", tokenName(reference));
          return `${reference} ${(await tokens.at(programId, tokenId).get())?.state}`;
        }),
      ),
    };
  }
}

/** The tokens that a sequence can ask for. */
export const references = [0, 1] as const;

export function proofTexts({ proofs }: Card): string[] {
  return proofs.map(({ state, usedBy }) => {
    const used = usedBy === undefined ? undefined : slotName(usedBy);
    return `${state} ${used}`;
  });
}

export function tokenTexts({ tokens: all }: Card): string[] {
  return references.map((reference) => `${reference} ${all.get(reference)?.state}`);
}
