// CAPSCOPE_BROWSER names the browser; without it Debian's chromium is taken, or the one that Playwright keeps.
// CAPSCOPE_SERVER=trunk runs the tests against a plain `trunk serve` instead of the files in dist/.
import { defineConfig } from "@playwright/test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const debianChromium = "/usr/bin/chromium";
const browser = process.env.CAPSCOPE_BROWSER ?? (existsSync(debianChromium) ? debianChromium : undefined);

// dist/ appears as the folder lab/ of the site: every test also shows that the page works under a sub-path.
// public/, what a host serves, appears as a/b/.
// sirv declares .gz files as gzip-encoded, so that the browser unpacks them; trunk hands them out as they are.
const staticServer = {
  baseURL: "http://127.0.0.1:4173/lab/",
  webServer: { command: "npm run --silent site", url: "http://127.0.0.1:4173/lab/" },
};
const trunkServer = {
  baseURL: "http://127.0.0.1:8080/",
  webServer: {
    command: "trunk serve",
    cwd: here("../.."),
    url: "http://127.0.0.1:8080/",
    timeout: 20 * 60_000, // It may have to build the release page first.
    stdout: "pipe",
  },
};

function linkSite() {
  if (!existsSync(here("../../dist/index.html"))) {
    throw new Error("dist/ holds no page: run `cargo xtask build` first");
  }
  if (!existsSync(here("../../public/index.html"))) {
    throw new Error("public/ holds no page: run `cargo xtask dist` first");
  }
  mkdirSync(here("site/a"), { recursive: true });
  for (const [folder, place] of [["dist", "lab"], ["public", "a/b"]]) {
    if (!existsSync(here(`site/${place}`))) symlinkSync(here(`../../${folder}`), here(`site/${place}`), "junction");
  }
}

const isTrunk = process.env.CAPSCOPE_SERVER === "trunk";
if (!isTrunk) linkSite();
const { baseURL, webServer } = isTrunk ? trunkServer : staticServer;

export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.js",
  // One after the other: training fills the processors, and some tests measure time.
  workers: 1,
  forbidOnly: Boolean(process.env.CI),
  // What passes at a second try is told as flaky; a busy machine makes some.
  retries: 2,
  timeout: 60_000,
  reporter: "list",
  outputDir: "test-results",
  webServer: { reuseExistingServer: false, ...webServer },
  use: {
    baseURL,
    browserName: "chromium",
    screenshot: "only-on-failure",
    // What a service worker answers cannot be held up or spoilt by a test; offline.spec.js lets it work.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: browser,
      args: [
        "--no-sandbox", // CI runs as root in a container.
        "--enable-unsafe-webgpu", // WebGPU through SwiftShader where there is no graphics card.
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
