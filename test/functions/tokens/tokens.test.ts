import { describe, expect, it } from "vitest";
import { challenges } from "../../../shared/passcodes/passcode.ts";
import { newId } from "../../../shared/platform/id.ts";
import { entered } from "../../../shared/tokens/steps.ts";
import { tokens } from "../../../shared/tokens/token.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenTokens } from "./given-tokens.ts";

describe("a token's request", () => {
  it("finds at most 10 live tokens of a Card, also at once", async () => {
    const { request, remove, records, cardId } = await givenTokens();
    const made = await Promise.all(Array.from({ length: 14 }, () => request(cardId)));
    const live = made.filter(({ outcome }) => outcome === "approved");
    expect(live).toHaveLength(10);
    for (const one of made.filter((each) => !live.includes(each)))
      expect(one).toMatchObject({ state: "declined", declineReason: "LIMIT_REACHED", decidedBy: "platform" });
    await remove(live[0]?.tokenId ?? "");
    expect(await request(cardId)).toMatchObject({ outcome: "approved" });
    expect(await request(cardId)).toMatchObject({ declineReason: "LIMIT_REACHED" });
    expect(await records(cardId, { transType: "55", transStatus: "4" })).toHaveLength(5);
  });
});

describe("a token that is verified", () => {
  const given = async () => {
    const calls = await givenTokens({ otherwise: "step_up" });
    const subscription = await calls.subscribe({ cardId: calls.cardId });
    const { tokenId } = await calls.request(calls.cardId);
    return { ...calls, subscription, tokenId, code: (await calls.passcode(subscription)).code as string };
  };

  it("is 409 where the outcome came between the reads of the token and of its passcode", async () => {
    const { program, verify, tokenId, code, cardId } = await given();
    const { programId } = program;
    const token = await tokens.at(programId, tokenId).require();
    expect((await verify(tokenId, "approved")).status).toBe(200);
    const challenge = await challenges.at(programId, token.challengeId ?? "").require();
    const event = {
      kind: "token_passcode",
      eventId: newId("event"),
      programId,
      cardId,
      tokenId,
      code,
    } as const;
    const found = { token, challenge, requested: undefined };
    expect(entered.decide(event, found, new Date())).toEqual({ rejected: "ILLEGAL_TRANSITION" });
  });

  it("has a passcode of its own beside those of others; its code is in one item", async () => {
    const { program, request, subscription, tokenId, code, cardId } = await given();
    const { tokenId: other } = await request(cardId);
    const { items } = (await program.call("GET /otp/challenges/{token}", { path: { token: subscription } }))
      .body;
    expect(items.map((one: { tokenId: string }) => one.tokenId).toSorted()).toEqual(
      [tokenId, other].toSorted(),
    );
    const stored = (await storedItems(program.programId)).filter((item) =>
      JSON.stringify(item).includes(`"${code}"`),
    );
    expect(stored.map(({ sk }) => sk)).toEqual(["CHALLENGE"]);
  });
});
