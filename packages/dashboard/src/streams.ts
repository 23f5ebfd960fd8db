// Streams of events. Each open page has one, so their number is bounded.
import { DashboardError } from "./dashboard-error.ts";

const openMax = 200;
/** A connection that is silent for longer may be closed by a proxy. */
const silentMaxMs = 25_000;
/** Then the page connects again, and its rights are checked again. */
const lifeMs = 120_000;

export interface StreamSource {
  /** Begins, and returns its end. */
  readonly start: (send: () => void) => Promise<() => void>;
  /** The least time between two events. */
  readonly everyMs: number;
}

export class Streams {
  #open = 0;

  /** A stream of empty events: each says that there is something new. It ends with the client, or after two minutes. */
  open({ start, everyMs }: StreamSource): Response {
    if (this.#open >= openMax) {
      throw new DashboardError(
        "QUEUERT_DASHBOARD_BUSY",
        `${openMax} pages listen for changes already: this one looks from time to time.`,
      );
    }
    this.#open++;
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const events = new Events(controller, everyMs);
        const life = setTimeout(() => end(), lifeMs);
        const starting = start(() => events.send()).catch(() => () => undefined);
        end = () => {
          end = () => undefined;
          this.#open--;
          clearTimeout(life);
          events.close();
          void starting.then((stop) => stop());
        };
      },
      cancel: () => end(),
    });
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    });
  }
}

/** Events that come close after each other are one. */
class Events {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #everyMs: number;
  readonly #alive: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #sentAt = -Infinity;
  #isClosed = false;

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, everyMs: number) {
    this.#controller = controller;
    this.#everyMs = everyMs;
    this.#write("retry: 5000\n\n");
    this.#alive = setInterval(() => this.#write(":\n\n"), silentMaxMs);
  }

  send(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#sentAt + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sentAt = performance.now();
      this.#write("data:\n\n");
    }, waitMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#alive);
    try {
      this.#controller.close();
    } catch {
      // The client has gone, and the stream with it.
    }
  }

  #write(text: string): void {
    if (!this.#isClosed) this.#controller.enqueue(new TextEncoder().encode(text));
  }
}
