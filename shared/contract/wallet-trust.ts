import * as z from "zod";

const pem = (kind: string) =>
  z.string().regex(new RegExp(`^-----BEGIN ${kind}-----\\n[A-Za-z0-9+/=\\n]+-----END ${kind}-----\\n?$`));

/** What phones' wallets are known by: settings of a deployment. */
export const WalletTrust = z.strictObject({
  applePay: z
    .strictObject({
      /** Apple's, in PEM. */
      roots: z.array(pem("CERTIFICATE")).min(1),
      /** The extension that the wallet's leaf alone has, among all that the roots sign. */
      leafExtension: z
        .string()
        // What reads certificates cuts longer numbers: the extension would never be found.
        .regex(/^[0-2](\.\d{1,15})+$/, "must be an object identifier with numbers of at most 15 digits"),
    })
    .optional(),
  googlePay: z
    .strictObject({
      /** The network names its key by it: `kid` of each payload. */
      keyId: z.string().min(1).max(64),
      /** RSA, in PEM. */
      publicKey: pem("PUBLIC KEY"),
    })
    .optional(),
});
