import { describe, expectTypeOf, it } from "vitest";
import {
  type ChangeNotification,
  type Client,
  createClient,
  type Notification,
  pages,
  unwrap,
  verifyNotification,
} from "../../client/src/card-issuing.ts";

/** `npm run check` compiles these; they never run. */
const client = null as unknown as Client;
const transfer = { sourceWalletId: "wlt_1", destinationId: "crd_1", amount: 100 };

describe("the client's types", () => {
  it("accept what the contract declares, and name its answers", () => {
    const call = async () => {
      const { data } = await unwrap(
        client.POST("/wallets/transfer", { body: { ...transfer, destinationType: 1 } }),
      );
      expectTypeOf(data.transferredAmount).toEqualTypeOf<number>();
      expectTypeOf(data.transStatus).toEqualTypeOf<0 | 1 | 2 | 3 | 4>();
      for await (const card of pages(client, "/cards", { query: { limit: 10 } }))
        expectTypeOf(card.maskedCardNumber).toEqualTypeOf<string>();
    };
    expectTypeOf(call).returns.resolves.toEqualTypeOf<void>();
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
});
