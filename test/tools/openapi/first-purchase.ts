import type { Json } from "./schemas.ts";

/** A request of the folder: what it keeps of its answer, and what it expects there. */
interface Step {
  readonly name: string;
  readonly method: "GET" | "POST";
  /** Ids that were kept stand in double braces. */
  readonly path: string;
  readonly body?: Json;
  readonly isKeyed?: true;
  /** Variables, and where in the answer they are. */
  readonly keeps?: Readonly<Record<string, string>>;
  /** Where in the answer, and the value there. */
  readonly expects: Readonly<Record<string, unknown>>;
}

const address = { line1: "12 St James's Square", city: "London", postalCode: "SW1Y 4JH", country: "GB" };
const shop = { merchantName: "Corner Shop", mcc: "5411" };

const steps: readonly Step[] = [
  {
    name: "A Wallet of the Program's own money",
    method: "POST",
    path: "wallets",
    body: { name: "First purchase" },
    isKeyed: true,
    keeps: { walletId: "data.walletId" },
    expects: { "data.availableBalance": 0 },
  },
  {
    name: "Money from the bank: 500.00",
    method: "POST",
    path: "wallets/{{walletId}}/bank-deposit",
    body: { amount: 50_000, reference: "First funds" },
    isKeyed: true,
    expects: { "data.amount": 50_000 },
  },
  {
    name: "A Cardholder",
    method: "POST",
    path: "cardholders",
    body: {
      firstName: "Ada",
      lastName: "Lovelace",
      dateOfBirth: "1990-12-10",
      gender: 1,
      email: "ada@example.com",
      phone: "+442079460000",
      address,
    },
    isKeyed: true,
    keeps: { cardholderId: "data.cardholderId" },
    expects: { "data.status": 4 },
  },
  {
    name: "Submit the Cardholder",
    method: "POST",
    path: "cardholders/{{cardholderId}}/submit",
    expects: { status: "success" },
  },
  {
    name: "Approve the Cardholder, as the compliance provider",
    method: "POST",
    path: "sandbox/cardholders/{{cardholderId}}/kyc-outcome",
    body: { status: 1 },
    expects: { "data.status": 1 },
  },
  {
    name: "A Card with 200.00",
    method: "POST",
    path: "cards",
    body: {
      cardholderId: "{{cardholderId}}",
      cardForm: 0,
      cardType: 0,
      load: { walletId: "{{walletId}}", amount: 20_000 },
    },
    isKeyed: true,
    keeps: { cardId: "data.cardId" },
    expects: { "data.issuerCardStatus": 1, "data.load.transStatus": 1 },
  },
  {
    name: "A purchase of 30.00, as a shop",
    method: "POST",
    path: "sandbox/cards/{{cardId}}/authorizations",
    body: { amount: 3_000, ...shop },
    isKeyed: true,
    keeps: { authorizationId: "data.authorizationId" },
    expects: { "data.approved": true },
  },
  {
    name: "30.00 are held",
    method: "GET",
    path: "cards/{{cardId}}/balance",
    expects: { "data.availableBalance": 17_000, "data.ledgerBalance": 20_000 },
  },
  {
    name: "The shop takes 31.50",
    method: "POST",
    path: "sandbox/authorizations/{{authorizationId}}/clear",
    body: { amount: 3_150 },
    isKeyed: true,
    expects: { status: "success" },
  },
  {
    name: "The purchase among the transactions",
    method: "GET",
    path: "cards/transactions?cardId={{cardId}}&transType=3",
    expects: { total: 1, "items.0.amount": 3_150, "items.0.authorizationId": "{{authorizationId}}" },
  },
  {
    name: "The Card's balances are proven from the books",
    method: "GET",
    path: "cards/{{cardId}}/balance/proof",
    expects: { "data.proven": true },
  },
  {
    name: "The Wallet's balances are proven from the books",
    method: "GET",
    path: "wallets/{{walletId}}/balance/proof",
    expects: { "data.proven": true },
  },
  {
    name: "Close the Card: what is left goes back to the Wallet",
    method: "POST",
    path: "cards/{{cardId}}/close",
    body: { sweepToWalletId: "{{walletId}}" },
    isKeyed: true,
    expects: { "data.issuerCardStatus": 3 },
  },
  {
    name: "468.50 are left",
    method: "GET",
    path: "wallets/{{walletId}}",
    expects: { "data.availableBalance": 46_850 },
  },
];

/** A folder to run from top to bottom, as often as one likes: all that it uses is its own. */
export function firstPurchase(): Json {
  return {
    name: "First purchase",
    description:
      "Run the folder: it makes a Wallet, a Cardholder and a Card, buys something, checks answers and books, and closes the Card.",
    item: steps.map(toItem),
  };
}

/** What the folder keeps: it needs no value before the first run. */
export const keptVariables: readonly string[] = steps.flatMap(({ keeps = {} }) => Object.keys(keeps));

function toItem({ name, method, path, body, isKeyed, keeps = {}, expects }: Step): Json {
  const at = (place: string) =>
    `${JSON.stringify(place)}.split(".").reduce((value, key) => value[key], answer)`;
  const wanted = (value: unknown) =>
    typeof value === "string" && value.startsWith("{{")
      ? `pm.collectionVariables.get(${JSON.stringify(value.slice(2, -2))})`
      : JSON.stringify(value);
  const exec = [
    "const answer = pm.response.json();",
    `pm.test(${JSON.stringify(name)}, () => {`,
    "  pm.expect(pm.response.code).to.equal(200);",
    ...Object.entries(expects).map(
      ([place, value]) => `  pm.expect(${at(place)}, ${JSON.stringify(place)}).to.equal(${wanted(value)});`,
    ),
    "});",
    ...Object.entries(keeps).map(
      ([variable, place]) => `pm.collectionVariables.set(${JSON.stringify(variable)}, ${at(place)});`,
    ),
  ];
  const [place = "", search] = path.split("?");
  return {
    name,
    request: {
      method,
      header: [
        ...(body ? [{ key: "Content-Type", value: "application/json" }] : []),
        ...(isKeyed ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
      ],
      url: {
        raw: `https://{{host}}/v2/${path}`,
        protocol: "https",
        host: ["{{host}}"],
        path: ["v2", ...place.split("/")],
        ...(search && {
          query: search.split("&").map((pair) => {
            const [key, value] = pair.split("=");
            return { key, value };
          }),
        }),
      },
      ...(body && {
        body: { mode: "raw", raw: JSON.stringify(body, null, 2), options: { raw: { language: "json" } } },
      }),
    },
    event: [{ listen: "test", script: { type: "text/javascript", exec } }],
  };
}
