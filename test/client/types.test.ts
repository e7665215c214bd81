import { describe, expectTypeOf, it } from "vitest";
import {
  type AnswerTo,
  type ChangeNotification,
  type Client,
  createClient,
  type Notification,
  pages,
  type Question,
  unwrap,
  verifyNotification,
  verifyQuestion,
} from "../../client/src/card-issuing.ts";
import type { AuthorizationQuestion } from "../../shared/contract/authorization-endpoint.ts";

/** `npm run check` compiles these; they never run. */
const client = null as unknown as Client;
const transfer = { sourceWalletId: "wlt_1", destinationId: "crd_1", amount: 100 };

describe("the client's types", () => {
  it("accept what the contract declares, and name its answers", () => {
    const call = async () => {
      const { data } = await unwrap(
        client.POST("/wallets/transfer", { body: { ...transfer, destinationType: 1 } }),
      );
      expectTypeOf(data.destinationId).toEqualTypeOf<string>();
      expectTypeOf(data.transStatus).toEqualTypeOf<0 | 1 | 2 | 3 | 4>();
      for await (const card of pages(client, "/cards", { query: { limit: 10 } }))
        expectTypeOf(card.maskedCardNumber).toEqualTypeOf<string>();
    };
    expectTypeOf(call).returns.resolves.toEqualTypeOf<void>();
  });

  it("take the codes of a list as they are written, without `as const`", () => {
    const url = "https://hooks.example.com";
    const calls = () => [
      client.POST("/webhooks", { body: { url, eventTypes: [1, 2, 60] } }),
      // @ts-expect-error: there is no type 7.
      client.POST("/webhooks", { body: { url, eventTypes: [7] } }),
    ];
    expectTypeOf(calls).returns.toBeArray();
  });

  it("reject unknown paths, missing fields and codes that do not exist", () => {
    const calls = () => [
      // @ts-expect-error: no such path.
      client.GET("/purses"),
      // @ts-expect-error: the path has a parameter.
      client.GET("/cards/{cardId}"),
      // @ts-expect-error: destinationType is required.
      client.POST("/wallets/transfer", { body: transfer }),
      // @ts-expect-error: destinationType is 0 or 1.
      client.POST("/wallets/transfer", { body: { ...transfer, destinationType: 2 } }),
      // @ts-expect-error: not a list.
      pages(client, "/cards/{cardId}", {}),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it("give the amount of a transfer only after a look at its status", () => {
    const call = async () => {
      const { data } = await unwrap(
        client.POST("/wallets/transfer", { body: { ...transfer, destinationType: 1 } }),
      );
      // @ts-expect-error: it may be declined.
      expectTypeOf(data.transferredAmount).toBeNumber();
      if (data.transStatus === 2 || data.transStatus === 4) {
        // @ts-expect-error: nothing was moved.
        expectTypeOf(data.transferredAmount).toBeNumber();
        return data.declineReason;
      }
      expectTypeOf(data.transferredAmount).toEqualTypeOf<number>();
      return undefined;
    };
    expectTypeOf(call).toBeFunction();
  });

  it("give the amount of an authorization only where it is approved", () => {
    const call = async () => {
      const params = { path: { cardId: "crd_1" } };
      const asked = client.POST("/sandbox/cards/{cardId}/authorizations", { params, body: { amount: 1 } });
      const { data } = await unwrap(asked);
      // @ts-expect-error: it may be declined.
      expectTypeOf(data.amount).toBeNumber();
      if (data.approved) expectTypeOf(data.amount).toEqualTypeOf<number>();
      // @ts-expect-error: a decline holds nothing.
      else expectTypeOf(data.amount).toBeNumber();
    };
    expectTypeOf(call).toBeFunction();
  });

  it("know JSON, text and bytes of what has other formats", () => {
    const call = async () => {
      const path = { cardId: "crd_1", period: "2026-11" };
      const place = "/cards/{cardId}/statements/{period}";
      const { data } = await unwrap(client.GET(place, { params: { path } }));
      expectTypeOf(data.period).toEqualTypeOf<string>();
      const params = { path, query: { format: "pdf" } } as const;
      expectTypeOf(await unwrap(client.GET(place, { params, parseAs: "text" }))).toEqualTypeOf<string>();
      const bytes = await unwrap(client.GET(place, { params, parseAs: "arrayBuffer" }));
      expectTypeOf(bytes).toEqualTypeOf<ArrayBuffer>();
      // @ts-expect-error: no such format.
      client.GET(place, { params: { path, query: { format: "xls" } } });
    };
    expectTypeOf(call).toBeFunction();
  });

  it("tell the kinds of notifications apart", () => {
    expectTypeOf(verifyNotification).returns.toEqualTypeOf<Notification>();
    type Passcode = Extract<Notification, { kind: "oneTimePasscode" }>["notification"];
    expectTypeOf<Passcode>().toEqualTypeOf<{ cardId: string } | { cardholderId: string }>();
    const read = (told: ChangeNotification) =>
      told.type === "balance.changed" ? told.data.availableBalance : told.subjectId;
    expectTypeOf(read).returns.toEqualTypeOf<number | string>();
    type Status = Extract<ChangeNotification, { type: "cardholder.status_changed" }>["data"];
    expectTypeOf<Status["previousStatus"]>().toEqualTypeOf<0 | 1 | 2 | 3 | 4 | 5 | 6 | 7>();
    expectTypeOf(createClient).parameter(0).toHaveProperty("certificate");
  });

  it("tell the questions and their answers apart", () => {
    expectTypeOf(verifyQuestion).returns.toEqualTypeOf<Question>();
    const decide = (question: Question): AnswerTo<Question> => {
      if (question.type === "token.requested")
        return { decision: question.risk === "green" ? "approve" : "step_up" };
      if (question.type === "authentication.requested") return { decision: "challenge", method: "app" };
      return question.amount > 50_000 ? { decision: "decline", reason: "Much" } : { decision: "approve" };
    };
    expectTypeOf(decide).returns.toExtend<{ decision: string }>();
    // @ts-expect-error: a purchase takes no step.
    const wrong: AnswerTo<AuthorizationQuestion> = { decision: "step_up" };
    expectTypeOf(wrong).not.toBeAny();
  });
});
