import type { statementRoutes } from "../../shared/contract/statements.ts";
import type { Operations } from "../../shared/platform/http/request.ts";

export type StatementOperations = Operations<(typeof statementRoutes)[number]>;
