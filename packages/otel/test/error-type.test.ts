import { expect, it } from "vitest";
import { createErrorTypes, errorTypeOf } from "../src/error-type.ts";

class Declined extends Error {}

class Named extends Error {
  override readonly name: string = "CardDeclined";
}

it.each([
  ["a built-in", new RangeError("out"), "RangeError"],
  ["a subclass that does not name itself", new Declined("no"), "Declined"],
  ["one that does", new Named("no"), "CardDeclined"],
  ["a code of Node's", Object.assign(new Error("no"), { code: "ECONNRESET" }), "ECONNRESET"],
  ["a code that is a number", Object.assign(new Declined("no"), { code: 11_000 }), "Declined"],
  ["an aborted signal", AbortSignal.abort().reason, "AbortError"],
  ["an anonymous class", new (class extends TypeError {})("no"), "TypeError"],
  ["no error", "a text", "string"],
  ["nothing", undefined, "undefined"],
])("%s", (_name, error, expected) => {
  expect(errorTypeOf(error)).toBe(expected);
});

it("is one of a hundred kinds at most", () => {
  const typeOf = createErrorTypes();
  const named = (name: string): Error => Object.assign(new Error("no"), { name });
  const types = Array.from({ length: 200 }, (_, index) => typeOf(named(`Error${index}`)));
  expect(new Set(types).size).toBe(101);
  expect(typeOf(named("Error0"))).toBe("Error0");
  expect(typeOf(named("another"))).toBe("_OTHER");
});
