// What every browser test checks besides its own subject: no error in the console, no request to another origin, none
// outside the page's folder.
import { test as base, expect } from "@playwright/test";

export { expect };

export const test = base.extend({
  /** Errors that a test provokes on purpose: patterns of console messages to let pass. */
  expectedErrors: [[], { option: true }],

  page: async ({ page, baseURL, expectedErrors }, use) => {
    const errors = [];
    const strayRequests = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text());
    });
    page.on("request", (request) => {
      const url = request.url();
      if (/^https?:/.test(url) && !url.startsWith(baseURL)) strayRequests.push(url);
    });
    await use(page);
    expect(errors.filter((text) => !expectedErrors.some((pattern) => pattern.test(text)))).toEqual([]);
    expect(strayRequests).toEqual([]);
  },
});
