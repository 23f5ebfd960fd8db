// `queuert/web`: workers behind HTTP, for platforms that start no process.
export { type Authorize, bearer, type BearerSecret } from "./web/bearer.ts";
export {
  createWorkHandler,
  type OnceWorker,
  type WorkHandlerOptions,
} from "./web/work-over-http.ts";
