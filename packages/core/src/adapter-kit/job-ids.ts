const idsPerPool = 256;
/** Eight for the digits of the id, two for the start of the counter. */
const bytesPerId = 10;
const hexDigits: Uint8Array = new TextEncoder().encode("0123456789abcdef");

/** Positions of the twelve digits of the time, highest first. */
const timePlaces: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12];
/** Positions of the sixteen random digits; the first one also carries the variant. */
const randomPlaces: readonly number[] = [
  19, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
];

/**
 * Makes a generator of UUID version 7. The ids sort by creation, so inserts touch only the right edge of an index.
 * Within one generator they always grow, also within a millisecond and when the clock steps back: 12 bits behind the
 * time count up. When they overflow, the next millisecond is used.
 */
export const createJobIdGenerator = (now: () => number = Date.now): (() => string) => {
  const pool = new Uint8Array(idsPerPool * bytesPerId);
  // Written in place and read as one flat string: a concatenated string of 36 characters keeps 300 bytes.
  const text = Buffer.from("00000000-0000-7000-8000-000000000000", "latin1");
  let offset = pool.length;
  let lastMs = 0;
  let counter = 0;

  const setTime = (ms: number): void => {
    lastMs = ms;
    let rest = ms;
    for (let place = timePlaces.length - 1; place >= 0; place--) {
      text[timePlaces[place] ?? 0] = hexDigits[rest % 16] ?? 0;
      rest = Math.floor(rest / 16);
    }
  };

  return () => {
    if (offset >= pool.length) {
      crypto.getRandomValues(pool);
      offset = 0;
    }
    const ms = Math.floor(now());
    if (ms > lastMs) {
      setTime(ms);
      // Starts low, leaving at least half of the range to count in.
      counter = (((pool[offset + 8] ?? 0) << 8) | (pool[offset + 9] ?? 0)) & 0x7ff;
    } else if (++counter > 0xfff) {
      setTime(lastMs + 1);
      counter = 0;
    }
    writeDigits(text, counter, pool, offset);
    offset += bytesPerId;
    return text.toString("latin1");
  };
};

const writeDigits = (text: Uint8Array, counter: number, pool: Uint8Array, offset: number): void => {
  text[15] = hexDigits[counter >> 8] ?? 0;
  text[16] = hexDigits[(counter >> 4) & 15] ?? 0;
  text[17] = hexDigits[counter & 15] ?? 0;
  for (let index = 0; index < 8; index++) {
    const byte = pool[offset + index] ?? 0;
    text[randomPlaces[2 * index] ?? 0] = hexDigits[byte >> 4] ?? 0;
    text[randomPlaces[2 * index + 1] ?? 0] = hexDigits[byte & 15] ?? 0;
  }
  // Two bits of variant: 8, 9, a or b.
  text[19] = hexDigits[8 | ((pool[offset] ?? 0) >> 6)] ?? 0;
};
