import { unwrap } from "../../../client/src/card-issuing.ts";
import type { Stage } from "./steps.ts";

/**
 * Subscribes to the Card's passcodes while `run` has one made and types it in: it reads the newest
 * one by the function that it gets.
 */
export async function withPasscode(
  { client, cardId }: Stage,
  run: (readCode: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const { data: subscribed } = await unwrap(client.POST("/otp/listeners", { body: { cardId } }));
  const params = { path: { token: subscribed.token } };
  try {
    await run(async () => String((await unwrap(client.GET("/otp/{token}", { params }))).data.code));
  } finally {
    await unwrap(client.DELETE("/otp/{token}", { params }));
  }
}
