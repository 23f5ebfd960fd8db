/** What a promise rejects with; a failure of the case if it resolves. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  let answer: unknown;
  try {
    answer = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${JSON.stringify(answer)}`);
};
