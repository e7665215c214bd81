import { expect, test } from "vitest";
import { AuthenticationAnswer } from "../../shared/contract/authentications.ts";
import { AuthorizationAnswer } from "../../shared/contract/authorization-endpoint.ts";
import { TokenAnswer } from "../../shared/contract/tokens.ts";
import { secret, sent, startReadmeServer } from "./readme-server.ts";

test("the README's server gives each question an answer that counts", { timeout: 60_000 }, async () => {
  const server = await startReadmeServer("question-server.test.ts", { ENDPOINT_SECRET: secret });
  const ask = async (question: object) => {
    const body = JSON.stringify(question);
    return await (await server.post(sent(body), body)).json();
  };
  try {
    const purchase = { type: "authorization.requested", amount: 3_000 };
    expect(AuthorizationAnswer.parse(await ask(purchase)).decision).toBe("approve");
    expect(AuthorizationAnswer.parse(await ask({ ...purchase, amount: 60_000 })).decision).toBe("decline");
    const token = { type: "token.requested", risk: "green" };
    expect(TokenAnswer.parse(await ask(token)).decision).toBe("approve");
    expect(TokenAnswer.parse(await ask({ ...token, risk: "red" })).decision).toBe("step_up");
    const authentication = { type: "authentication.requested" };
    expect(AuthenticationAnswer.parse(await ask(authentication)).decision).toBe("challenge");
    expect((await server.post(sent("{}"), JSON.stringify(purchase))).status).toBe(401);
  } finally {
    server.stop();
  }
});
