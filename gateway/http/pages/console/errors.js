// What is wrong, as the gateway says it, or because nothing comes from it.

/** An error that the gateway has answered with, or that kept it from answering. */
export class ApiError extends Error {
  /** @param {{ message: string, sqlstate?: string, detail?: ?string, hint?: ?string, position?: ?number, retryable?: boolean }} error */
  constructor(error) {
    super(error.message);
    this.sqlstate = error.sqlstate ?? "";
    this.detail = error.detail ?? "";
    this.hint = error.hint ?? "";
    /** Counts characters of the statement from 1, and not the units of JavaScript's strings. */
    this.position = error.position ?? null;
    this.retryable = error.retryable ?? false;
  }
}

/** @returns {ApiError} of an answer whose end is missing */
export function brokenOff() {
  return new ApiError({ message: "the answer broke off", hint: "Run it again.", retryable: true });
}
