import type { FunctionFactory } from "../function-factory.ts";
import { certificatesFunctionName } from "../function-names.ts";
import type { ServiceFunction } from "../service-function.ts";

/** The one function that has certificates signed: beside the CAs' keys it reaches credentials, and the deadlines of their reminders. */
export function certificatesFunction(functions: FunctionFactory): ServiceFunction {
  const { settings, data } = functions.props;
  const { accountsTable, issuingTable, authorityKeys } = data;
  const keys = [...authorityKeys].map(([authority, { keyArn }]) => ({ name: authority, keyArn }));
  const made = functions.plain(
    "Certificates",
    "certificates",
    "Signs, lists and revokes client certificates.",
    {
      roleName: certificatesFunctionName(settings.name),
      environment: {
        ACCOUNTS_TABLE: accountsTable.tableName,
        ISSUING_TABLE: issuingTable.tableName,
        AUTHORITY_KEYS: JSON.stringify(keys),
      },
    },
  );
  for (const key of authorityKeys.values()) key.grantSignCertificates(made);
  return made;
}
