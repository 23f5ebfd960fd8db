// The dashboard of Queuert: mount it in an application, or serve it on its own.
export { createDashboard, type Dashboard, type RequestBindings } from "./create-dashboard.ts";
export type { Authorize, DashboardOptions } from "./dashboard-options.ts";
export { DashboardError, type DashboardErrorCode } from "./dashboard-error.ts";
export type { Authorization, Preset } from "./grant.ts";
export {
  serveDashboard,
  type ServedDashboard,
  type ServeDashboardOptions,
} from "./standalone/serve-dashboard.ts";
export type { MountedMcp, MountedMcpOptions } from "./mcp.ts";
export { toNodeHandler } from "./node-listener.ts";
export type { Link, Right } from "./api-types.ts";
