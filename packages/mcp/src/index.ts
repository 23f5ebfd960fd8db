// Queuert for agents, by the Model Context Protocol.
export { createMcp, type Mcp, type McpOptions } from "./create-mcp.ts";
