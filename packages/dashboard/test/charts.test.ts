import { expect, it } from "vitest";
import { valuesAlone } from "../app/charts/values-alone.ts";

it("finds values that no line leads to", () => {
  expect(valuesAlone([null, 3, null])).toEqual([1]);
  expect(valuesAlone([5, null, 6, 7, null, 0])).toEqual([0, 5]);
  expect(valuesAlone([1, 2])).toEqual([]);
  expect(valuesAlone([null, undefined])).toEqual([]);
});
