// A browser for tests: starts headless Chromium and speaks the DevTools protocol with it over a
// pipe (--remote-debugging-pipe: messages end with a NUL byte), so no package is needed.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const programs = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export class Browser {
  constructor() {
    const program = programs.find((one) => one && existsSync(one));
    if (!program) throw new Error('Chromium is missing: tests/setup check installs it');
    this.folder = mkdtempSync(path.join(os.tmpdir(), 'fisql-chromium-'));
    this.process = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--no-first-run',
      '--disable-extensions', '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
      '--force-color-profile=srgb', '--lang=en', '--remote-debugging-pipe', `--user-data-dir=${this.folder}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: this.folder } });
    this.waiting = new Map();
    this.listeners = [];
    this.next = 1;
    this.rest = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', (text) => this.read(text));
    this.process.on('exit', () => this.fail(new Error('Chromium ended')));
    this.process.on('error', (error) => this.fail(error));
  }

  // What the browser's processes have taken of the processors so far: unlike the time on the clock, it
  // does not grow with what else runs on the machine.
  processorSeconds() {
    const parents = new Map(), ticks = new Map();
    for (const pid of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ');
        parents.set(pid, fields[1]);
        ticks.set(pid, Number(fields[11]) + Number(fields[12]));
      } catch { /* it has ended */ }
    }
    let sum = 0;
    for (const [pid, own] of ticks) {
      let at = pid;
      for (let level = 0; level < 20 && at && at !== String(this.process.pid); level++) at = parents.get(at);
      if (at === String(this.process.pid)) sum += own;
    }
    return sum / 100; // USER_HZ
  }

  fail(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  read(text) {
    const parts = (this.rest + text).split('\0');
    this.rest = parts.pop();
    for (const part of parts) this.message(JSON.parse(part));
  }

  message(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    } else if (message.method) {
      for (const listener of this.listeners) listener(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`${method}: no answer within 60 s`));
      }, 60000);
      const settle = (done) => (value) => {
        clearTimeout(timer);
        done(value);
      };
      this.waiting.set(id, { method, resolve: settle(resolve), reject: settle(reject) });
      this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async page(options) {
    const page = new Page(this);
    await page.start(options);
    return page;
  }

  async close() {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    await this.send('Browser.close').catch(() => this.process.kill('SIGKILL'));
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

class Page {
  constructor(browser) {
    this.browser = browser;
    this.problems = []; // errors and warnings of the console, exceptions, refused or failed requests
    this.requests = []; // addresses asked for
  }

  async start({ width = 1280, height = 900, theme = 'light' } = {}) {
    const { targetId } = await this.browser.send('Target.createTarget', { url: 'about:blank' });
    this.targetId = targetId;
    this.session = (await this.browser.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
    this.browser.listeners.push((message) => message.sessionId === this.session && this.hear(message));
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await this.send(`${domain}.enable`);
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.theme(theme);
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  hear({ method, params }) {
    if (method === 'Runtime.exceptionThrown') {
      const { text, exception } = params.exceptionDetails;
      this.problems.push(exception?.description || text);
    } else if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.problems.push(params.args.map((one) => one.value ?? one.description).join(' '));
    } else if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) {
      this.problems.push(params.entry.url ? `${params.entry.text} (${params.entry.url})` : params.entry.text);
    } else if (method === 'Network.requestWillBeSent') {
      this.requests.push(params.request.url);
    } else if (method === 'Page.loadEventFired' && this.loaded) {
      this.loaded();
    }
  }

  theme(theme) {
    return this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme },
      { name: 'prefers-reduced-motion', value: 'reduce' }] });
  }

  async open(url) {
    const loaded = new Promise((resolve) => {
      this.loaded = resolve;
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  // The value of an expression in the page.
  async value(expression) {
    const answer = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception?.description || answer.exceptionDetails.text);
    return answer.result.value;
  }

  // Waits until the expression holds; returns whether it does.
  async until(expression, limit_ms = 60000) {
    const end = Date.now() + limit_ms;
    for (;;) {
      if (await this.value(`!!(${expression})`)) return true;
      if (Date.now() > end) return false;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // Opens a report page and waits until it is drawn: { ready, elements, seconds of processor time }. Tests hold to the
  // elements, which are the same on every machine; times are for `make bench-page`.
  async openReport(file, browser) {
    const before = browser.processorSeconds();
    await this.open(`file://${file}`);
    const ready = await this.until('document.documentElement.dataset.ready');
    await this.drawn();
    const seconds = browser.processorSeconds() - before;
    return { ready, seconds, elements: await this.value("document.getElementsByTagName('*').length") };
  }

  // Two frames, so that what was asked for is drawn.
  async drawn() {
    await this.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))');
  }

  async mouse(type, x, y, more = {}) {
    await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1, ...more });
  }

  async clickAt(x, y) {
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
    await this.drawn();
  }

  // Clicks in the middle of the element that the selector, or the expression, gives. On a busy machine a section may
  // be laid out between looking and clicking and move it away: what counts is that the element was pressed.
  async click(what) {
    const found = /^[\w#.[\]="'>: -]+$/.test(what) ? `document.querySelector(${JSON.stringify(what)})` : what;
    for (let attempt = 0; attempt < 10; attempt++) {
      const [x, y] = await this.placeOf(what, found);
      await this.value(`(() => { window.pressed = false;
        ${found}.addEventListener('pointerdown', () => { window.pressed = true; }, { capture: true, once: true }); })()`);
      await this.clickAt(x, y);
      if (await this.value('window.pressed') !== false) return;
    }
    throw new Error(`the click does not reach it: ${what}`);
  }

  async placeOf(what, found) {
    // Sections are laid out when they come into view, and may then move: the place counts once it stays.
    let box = null;
    for (let before = ''; ; before = String(box)) {
      box = await this.value(`new Promise((give) => { const one = ${found}; if (!one) { give(null); return; }
        one.scrollIntoView({block: 'center', inline: 'nearest'});
        requestAnimationFrame(() => { const box = one.getBoundingClientRect();
          give([box.left + Math.min(box.width, innerWidth) / 2, box.top + box.height / 2]); }); })`);
      if (!box || String(box) === before) break;
    }
    if (!box) throw new Error(`nothing to click: ${what}`);
    return box;
  }

  async key(key, more = {}) {
    const text = key.length === 1 ? key : undefined;
    const codes = { Enter: 13, Escape: 27, Tab: 9, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
    const code = codes[key] || key.toUpperCase().charCodeAt(0);
    const event = { key, text: key === 'Enter' ? '\r' : text, windowsVirtualKeyCode: code, ...more };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event, text: undefined });
    await this.drawn();
  }

  async type(text) {
    await this.send('Input.insertText', { text });
    await this.drawn();
  }

  async picture(file, whole = false) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: whole });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async print(file) {
    const { data } = await this.send('Page.printToPDF', { printBackground: true });
    writeFileSync(file, Buffer.from(data, 'base64'));
  }

  close() {
    return this.browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
