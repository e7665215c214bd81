import { accountAccessRoutes } from "./account-access.ts";
import { accountNotificationRoutes } from "./account-notifications.ts";
import { accountProgramRoutes } from "./account-programs.ts";
import { accountTicketRoutes } from "./account-tickets.ts";

/** Account management: the only endpoints of Tenant-level keys. To a Program-level key none of them exists. */
export const accountRoutes = [
  ...accountProgramRoutes,
  ...accountAccessRoutes,
  ...accountNotificationRoutes,
  ...accountTicketRoutes,
];
