import * as z from "zod";

/** The parts of Marqeta's transaction that the platform reads. Everything else may change. */
const text = z.string().min(1);

/** Zeros, in the form of a token or not, name nothing. */
export const isNamed = (token: string) => !/^[0-]*$/.test(token);

/** A text of Marqeta's without control characters, and cut to what fits. None if that is empty. */
export function fitting(value: string | undefined, longest: number): string | undefined {
  const clean = value?.replace(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return clean?.slice(0, longest) || undefined;
}

const name = z.string().max(90).refine(isNamed);
/** What names another transaction, or fills the place of its name. */
const otherName = z
  .string()
  .max(90)
  .transform((token) => (isNamed(token) ? token : undefined))
  .optional();

/** The object of Gateway JIT Funding. `amount` is in units of the currency: 10.5 is 10.50. */
export const JitFunding = z.object({
  token: text,
  method: text,
  user_token: text.optional(),
  amount: z.number().optional(),
});
export type JitFunding = z.output<typeof JitFunding>;

/** Numbers that Marqeta sends as text: `04`. */
const sequence = z.union([z.string().regex(/^\d{1,4}$/), z.int().min(0)]).transform(Number);

/** How a check came out: a code, and what it means in words. */
const Response = z.object({ code: z.string().optional(), memo: z.string().optional() }).optional();

const some = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** What is sent in another form says nothing, and is not the same as what was not sent. */
const unknown = "?";
const listed = z.string().trim().optional().catch(unknown);

/** A digital wallet token, in transactions and in transitions. */
export const DigitalWalletToken = z.object({
  /** Marqeta's name of the token: in its request, in transitions and in purchases. */
  token: z.string().min(1).max(90),
  card_token: z.string().optional(),
  state: some,
  token_service_provider: z
    .object({
      token_requestor_id: some,
      token_requestor_name: some,
      /** The token's number: only its last four digits are read. */
      token_pan: some,
      token_eligibility_decision: some,
    })
    .optional()
    .catch(undefined),
  device: z
    .object({ type: some, device_id: some, name: some, language_code: some, ip_address: some })
    .optional()
    .catch(undefined),
});
export type DigitalWalletToken = z.output<typeof DigitalWalletToken>;

/** A webhook of `digitalwallettokentransitions`. */
export const TokenTransition = z.object({
  token: name,
  type: some,
  state: z.string(),
  created_time: some,
  digital_wallet_token: DigitalWalletToken,
});
export type TokenTransition = z.output<typeof TokenTransition>;

export const Transaction = z.object({
  token: name,
  type: text,
  state: text,
  card_token: text.optional(),
  amount: z.number().optional(),
  currency_code: text.optional(),
  issuer_interchange_amount: z.number().optional().catch(undefined),
  created_time: text.optional(),
  user_transaction_time: text.optional(),
  preceding_related_transaction_token: otherName,
  original_transaction_token: otherName,
  preceding_transaction: z.object({ token: otherName }).optional(),
  incremental_authorization_transaction_tokens: z.array(otherName).optional(),
  is_final_clearing: z.boolean().optional(),
  /** Only the last clearing of an authorization has it. */
  amount_to_be_released: z.number().optional(),
  multi_clearing_sequence_number: sequence.optional(),
  multi_clearing_sequence_count: sequence.optional(),
  card_acceptor: z
    .object({
      mid: some,
      mcc: some,
      name: some,
      city: some,
      country: listed,
      country_code: listed,
    })
    .optional()
    .catch({ country: unknown }),
  pos: z
    .object({
      pan_entry_mode: listed,
      is_recurring: flag,
      partial_approval_capable: flag,
      is_installment: flag,
      terminal_id: some,
      card_data_input_capability: some,
    })
    .optional()
    .catch({ pan_entry_mode: unknown }),
  card_security_code_verification: z.object({ response: Response }).optional().catch(undefined),
  address_verification: z
    .object({
      request: z
        .object({ street_address: z.string().optional(), postal_code: z.string().optional() })
        .optional(),
      issuer: z.object({ response: Response }).optional(),
      response: Response,
    })
    .optional()
    .catch(undefined),
  cardholder_authentication_data: z
    .object({
      authentication_status: z.string().optional(),
      electronic_commerce_indicator: z.string().optional(),
      verification_result: z.string().optional(),
      acquirer_exemption: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
  currency_conversion: z
    .object({
      network: z.object({ original_amount: z.number(), original_currency_code: z.string() }).optional(),
    })
    .optional()
    .catch(undefined),
  digital_wallet_token: DigitalWalletToken.optional().catch(undefined),
  gpa_order: z
    .object({
      jit_funding: JitFunding.optional(),
      funding: z.object({ gateway_log: z.object({}).optional() }).optional(),
    })
    .optional(),
});
export type Transaction = z.output<typeof Transaction>;

/** A webhook groups its events by kind, `transactions` among them. */
export const Notification = z.record(z.string(), z.array(z.unknown()));
export type Notification = z.output<typeof Notification>;
