// PostgreSQL's messages, cut out of a stream of bytes.

export interface Frame {
  /** One letter; "" for the first message of a client, which has none. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Of a simple query, or of one that is parsed, its text. */
export const queryText = ({ type, bytes }: Frame): string | undefined => {
  if (type === "Q") return bytes.toString("utf8", 5, bytes.length - 1);
  if (type !== "P") return undefined;
  const start = bytes.indexOf(0, 5) + 1;
  return bytes.toString("utf8", start, bytes.indexOf(0, start));
};

/** Gathers chunks and hands out whole messages, those of a client beginning with one without a letter. */
export const createFramer = (from: "client" | "server"): ((chunk: Buffer) => Frame[]) => {
  let rest = Buffer.alloc(0);
  let isFirst = from === "client";
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const letter = isFirst ? 0 : 1;
      if (rest.length < letter + 4) return frames;
      const length = letter + rest.readInt32BE(letter);
      if (rest.length < length) return frames;
      const bytes = rest.subarray(0, length);
      frames.push({ type: rest.toString("latin1", 0, letter), bytes });
      rest = rest.subarray(length);
      isFirst = false;
    }
  };
};

/** A message with a letter. */
export const frame = (type: string, ...parts: readonly (string | number | Buffer)[]): Buffer => {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === "string") return Buffer.from(`${part}\0`);
      return typeof part === "number" ? int32(part) : part;
    }),
  );
  return Buffer.concat([Buffer.from(type, "latin1"), int32(body.length + 4), body]);
};

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** How a client begins. */
export const startupFrame = (user: string, database: string): Buffer =>
  frame("", protocolVersion, "user", user, "database", database, Buffer.alloc(1));

const protocolVersion = 3 << 16;
