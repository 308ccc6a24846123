// Keeps what the page is made of, so that it opens without a network after the first visit. While there is a network its
// answer counts, so that a new version arrives at once; MNIST never changes, and is fetched once.

const STORE = "capscope";

// What the engine asks for before its first picture; the page's own files are named in its document.
const ENGINE = [
  "engine_loader.js",
  "engine.js",
  "engine_bg.wasm",
  "assets/gallery/images-idx3-ubyte.gz",
  "assets/gallery/labels-idx1-ubyte.gz",
  "assets/gallery/places.json",
  "assets/networks/compact.safetensors",
];

const scope = self.registration.scope;

/** The page's own files, whose names change with their content. */
const namedIn = (document) => [...new Set(document.match(/[\w-]+-[0-9a-f]{8,}(_bg)?\.(js|wasm)/g))];

/** Stores the document, and forgets the files of another version. */
async function keepDocument(response) {
  const [store, copy] = [await caches.open(STORE), response.clone()];
  const files = namedIn(await response.text());
  await store.put(scope, copy);
  for (const request of await store.keys()) {
    const [name] = namedIn(request.url);
    if (name && !files.includes(name)) await store.delete(request);
  }
  return files;
}

/** Everything that the page needs to open. */
async function gather() {
  const response = await fetch(scope);
  if (!response.ok) throw new Error(`${scope} answers ${response.status}`);
  const [store, files] = [await caches.open(STORE), await keepDocument(response)];
  await store.addAll([...files, ...ENGINE].map((name) => new URL(name, scope)));
}

async function keep(request, response) {
  // A full disk is no reason to fail: the page then needs its network again.
  try {
    if (request.mode === "navigate") await keepDocument(response);
    else await (await caches.open(STORE)).put(request, response);
  } catch (error) {
    console.warn("Not kept for use without a network:", request.url, error);
  }
}

async function answer(event) {
  const { request } = event;
  const kept = () => caches.match(request.mode === "navigate" ? scope : request, { ignoreSearch: true });
  const isMnist = request.url.startsWith(new URL("assets/mnist/", scope));
  const found = isMnist && (await kept());
  if (found) return found;
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const stored = await kept();
    if (stored) return stored;
    throw error;
  }
}

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(gather());
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(scope)) event.respondWith(answer(event));
});
