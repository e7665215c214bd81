import { readFileSync } from "node:fs";
import { type Client, createClient, unwrap } from "../../../client/src/card-issuing.ts";
import { CardForm, CardholderStatus, Gender } from "../../../shared/contract/enums.ts";
import { CannotRun, UsageError } from "../../command-line/options.ts";
import { say } from "../../command-line/print.ts";
import { payoutStory, pullStory } from "./bank-stories.ts";
import { cardStories, tokenStory } from "./card-stories.ts";
import type { ScenarioName, TriggerConnection } from "./scenario-names.ts";
import type { Story } from "./steps.ts";

/** With the money that each story needs. */
const startingBalance = 20_000;

const onCard: Readonly<Partial<Record<ScenarioName, Story>>> = { ...cardStories, token: tokenStory };
const atBank: Readonly<Partial<Record<ScenarioName, (client: Client) => Promise<void>>>> = {
  payout: payoutStory,
  pull: pullStory,
};

export async function playScenario(
  connection: TriggerConnection,
  name: ScenarioName,
  given?: string,
): Promise<void> {
  if (name in atBank && given !== undefined) throw new UsageError(`The story ${name} has no Card.`);
  const { baseUrl, cert, key, ca, programApiKey } = connection;
  const client = createClient({
    baseUrl,
    certificate: readFileSync(cert),
    key: readFileSync(key),
    authority: readFileSync(ca),
    apiKey: programApiKey,
  });
  try {
    await atBank[name]?.(client);
    const story = onCard[name];
    if (story === undefined) return;
    const cardId = await findCard(client, given);
    say(`On Card ${cardId}:`);
    await story({ client, cardId });
  } finally {
    await client.close();
  }
}

/** @throws CannotRun if there is no such Card */
async function findCard(client: Client, given?: string): Promise<string> {
  if (given === undefined) return await issueCard(client);
  const params = { path: { cardId: given } };
  const { response } = await client.GET("/cards/{cardId}", { params });
  if (response.status === 404) throw new CannotRun(`The demo Program has no Card ${given}.`);
  return given;
}

/** A new Cardholder's virtual Card, Active and loaded. */
async function issueCard(client: Client): Promise<string> {
  const person = {
    firstName: "Trigger",
    lastName: "Story",
    dateOfBirth: "1990-01-01",
    gender: Gender.female,
  } as const;
  const contact = {
    email: "story@example.com",
    phone: "+442079460000",
    address: { line1: "1 Example Street", city: "London", postalCode: "SW1Y 4JH", country: "GB" },
  };
  const { data: cardholder } = await unwrap(client.POST("/cardholders", { body: { ...person, ...contact } }));
  const params = { path: { cardholderId: cardholder.cardholderId } };
  await unwrap(client.POST("/cardholders/{cardholderId}/submit", { params }));
  await unwrap(
    client.POST("/sandbox/cardholders/{cardholderId}/kyc-outcome", {
      params,
      body: { status: CardholderStatus.approved },
    }),
  );
  const order = { ...params.path, cardForm: CardForm.virtual, cardType: 0 } as const;
  const { data: card } = await unwrap(client.POST("/cards", { body: order }));
  const { cardId } = card;
  const money = { params: { path: { cardId } }, body: { amount: startingBalance, pending: false } };
  await unwrap(client.POST("/sandbox/cards/{cardId}/deposits", money));
  return cardId;
}
