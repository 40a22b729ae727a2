// The console's script. Every page works without it; with it, forms answer in place, pages follow what happens, and
// tiles can be dragged. No part of it makes HTML of text.
const root = document.documentElement;
root.classList.add('js');
const $ = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const words = $('.toasts')?.dataset ?? {};

// Pages of this server, which the server made, are the only HTML that is ever parsed.
const policy = globalThis.trustedTypes?.createPolicy('chorus', { createHTML: (html) => html });
const parse = (html) => new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, 'text/html');

function toast(text, action, then) {
  const box = document.createElement('div');
  box.className = 'toast';
  box.append(text);
  if (action) {
    const button = document.createElement('button');
    button.className = 'small';
    button.textContent = action;
    button.addEventListener('click', () => { box.remove(); then(); });
    box.append(button);
  } else {
    setTimeout(() => box.remove(), 8000);
  }
  $('.toasts').append(box);
  return box;
}

// ---- Moments: how long ago, if that is not long; else the day. The title says it exactly, in the reader's time zone.
const exactly = new Intl.DateTimeFormat(root.lang, { dateStyle: 'full', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(root.lang, { dateStyle: 'medium' });
const ago = new Intl.RelativeTimeFormat(root.lang, { numeric: 'auto', style: 'short' });
const UNITS = [['second', 60], ['minute', 60], ['hour', 24], ['day', 7]];

function said(at) {
  let amount = (at - Date.now()) / 1000;
  if (Math.abs(amount) < 45) amount = 0;
  for (const [unit, most] of UNITS) {
    if (Math.abs(Math.round(amount)) < most) return ago.format(Math.round(amount), unit);
    amount /= most;
  }
  return day.format(at);
}

function localise(within) {
  for (const element of all('time[datetime]', within)) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.title = exactly.format(at);
    element.textContent = said(at);
  }
}
setInterval(() => localise(document), 60_000);

// ---- Forms: sent in the background, so that a refusal stands beside what was filled in.
function clearErrors(form) {
  for (const field of all('[aria-invalid]', form)) field.removeAttribute('aria-invalid');
  for (const text of all('.field-error', form)) text.remove();
  const box = $('.form-error', form);
  if (box) { box.hidden = true; box.textContent = ''; }
}

function showErrors(form, refusal) {
  const lines = [refusal.title, refusal.text, refusal.quoted].filter(Boolean);
  for (const blocker of refusal.blockers ?? []) lines.push(`• ${blocker.title ?? ''}`);
  for (const { field, label, message } of refusal.problems ?? []) {
    const named = all('[name]', form).find((input) => input.type !== 'hidden' && input.name.replace(/\?(null)?$|\[\]$/, '') === field);
    if (!named) { lines.push(`${label} ${message}`); continue; }
    named.setAttribute('aria-invalid', 'true');
    const text = document.createElement('p');
    text.className = 'field-error';
    text.textContent = message;
    (named.closest('label') ?? named).after(text);
  }
  const box = $('.form-error', form);
  if (box) {
    box.textContent = lines.join('\n');
    box.hidden = false;
    if (!box.getClientRects().length) toast(lines.join(' '));
    ($('[aria-invalid]', form) ?? box).scrollIntoView({ block: 'nearest' });
    $('[aria-invalid]', form)?.focus();
  } else {
    toast(lines.join(' '));
  }
  form.dispatchEvent(new CustomEvent('chorus:refused', { bubbles: true, detail: refusal }));
}

// A button without a target of its own says the page's.
const target = (form, submitter) => (submitter?.hasAttribute('formaction') ? submitter.formAction : form.action);

async function send(form, submitter, agreed) {
  if (form.dataset.busy) return;
  form.dataset.busy = 'yes';
  clearErrors(form);
  const buttons = all('button', form).filter((button) => !button.disabled);
  for (const button of buttons) button.setAttribute('aria-disabled', 'true');
  try {
    const fields = new URLSearchParams(new FormData(form, submitter));
    if (agreed) fields.set('_agreed', 'yes');
    const answered = await fetch(target(form, submitter), { method: 'POST', body: fields, headers: { Accept: 'application/json' } });
    const said = await answered.json();
    if (answered.ok && said.next) { go(said.next); return; }
    if (answered.status === 401) { location.reload(); return; }
    showErrors(form, said);
  } catch {
    toast(words.wrong);
  } finally {
    delete form.dataset.busy;
    for (const button of buttons) button.removeAttribute('aria-disabled');
  }
}

function go(next) {
  const to = new URL(next, location.href);
  const same = to.pathname === location.pathname && to.search === location.search;
  leaving = true;
  if (same) { location.hash = to.hash; location.reload(); } else { location.assign(to); }
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== 'post' || form.dataset.plain !== undefined) return;
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) { event.preventDefault(); return; }
  if (!new URL(target(form, event.submitter)).pathname.startsWith('/do/')) {
    // Pressed twice it would be sent twice, and what the first answer shows would be lost.
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    setTimeout(() => delete form.dataset.sent, 3000);
    return;
  }
  event.preventDefault();
  send(form, event.submitter, Boolean(question));
});

document.addEventListener('change', (event) => {
  if (event.target.dataset?.submit !== undefined) event.target.form.requestSubmit();
});

// ---- Rows of tabs may be wider than a phone: the one that is shown is brought into view.
for (const row of all('.tabs .row, .bar .main')) {
  const shown = $('[aria-current]', row);
  if (shown) row.scrollLeft = shown.offsetLeft - row.offsetLeft - 48;
}

// ---- Mentions: put where the cursor is.
function insert(field, text) {
  if (!field) return;
  const [from, to] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length];
  const before = field.value.slice(0, from);
  const gap = before && !/\s$/.test(before) ? ' ' : '';
  field.setRangeText(`${gap}${text} `, from, to, 'end');
  field.focus();
}

// ---- Dialogs, copying, going back.
document.addEventListener('click', async (event) => {
  const at = (name) => event.target.closest?.(`[data-${name}]`);
  const opener = at('open');
  if (opener) { event.preventDefault(); document.getElementById(opener.dataset.open)?.showModal(); return; }
  const closer = at('close');
  if (closer) { event.preventDefault(); closer.closest('dialog')?.close(); return; }
  const copier = at('copy');
  if (copier) {
    await navigator.clipboard.writeText(document.getElementById(copier.dataset.copy)?.textContent ?? '');
    toast(copier.dataset.copied ?? '✓');
    return;
  }
  const inserter = at('insert');
  if (inserter) { insert(document.getElementById(inserter.dataset.insert), inserter.value); return; }
  if (at('back') && history.length > 1) { event.preventDefault(); history.back(); return; }
  for (const menu of all('details.menu[open]')) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener('keydown', (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    const field = $('[data-find]');
    if (field) { event.preventDefault(); field.focus(); field.select(); }
  }
  if (event.key === 'Escape') {
    for (const menu of all('details.menu[open]')) { menu.open = false; $('summary', menu)?.focus(); }
  }
});

// ---- Search: what is found shows below the field of the bar as one types; arrow keys choose.
const find = $('.find [data-find]');
if (find) {
  const list = document.createElement('ul');
  list.id = 'palette';
  list.className = 'palette';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', find.getAttribute('aria-label'));
  find.form.append(list);
  const roles = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': list.id, 'aria-expanded': 'false', autocomplete: 'off' };
  for (const [name, value] of Object.entries(roles)) find.setAttribute(name, value);
  let asked = 0;
  let pause = 0;

  const chosen = () => $('[aria-selected="true"]', list);
  const show = (shown) => {
    list.hidden = !shown;
    find.setAttribute('aria-expanded', String(shown));
    if (!shown) find.removeAttribute('aria-activedescendant');
  };
  const choose = (option) => {
    chosen()?.setAttribute('aria-selected', 'false');
    option.setAttribute('aria-selected', 'true');
    find.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  };
  const option = (line, at) => {
    const link = $('a[href]', line);
    if (!link) return [];
    const row = document.createElement('li');
    const to = document.createElement('a');
    const kind = document.createElement('span');
    row.setAttribute('role', 'presentation');
    to.id = `found-${at}`;
    to.href = link.getAttribute('href');
    to.tabIndex = -1;
    to.setAttribute('role', 'option');
    to.setAttribute('aria-selected', 'false');
    kind.className = 'badge';
    kind.textContent = $('.badge', line)?.textContent ?? '';
    to.append(link.textContent, ' ', kind);
    row.append(to);
    return [row];
  };
  const look = async () => {
    const mine = ++asked;
    if (!find.value.trim()) { show(false); return; }
    try {
      const answered = await fetch(`${find.form.action}?${new URLSearchParams(new FormData(find.form))}`, { headers: { Accept: 'text/html' } });
      if (!answered.ok || answered.redirected) return;
      const page = parse(await answered.text());
      if (mine !== asked) return;
      list.replaceChildren(...all('.found > li', page).slice(0, 8).flatMap(option));
      show(list.childElementCount > 0);
    } catch { show(false); }
  };
  find.addEventListener('input', () => { clearTimeout(pause); pause = setTimeout(look, 200); });
  find.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    if (event.key === 'Escape') { event.preventDefault(); show(false); return; }
    if (event.key === 'Enter' && chosen()) { event.preventDefault(); location.assign(chosen().href); return; }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const places = all('a', list);
    const step = event.key === 'ArrowDown' ? 1 : -1;
    const from = chosen() ? places.indexOf(chosen()) : (step > 0 ? -1 : 0);
    choose(places[(from + step + places.length) % places.length]);
  });
  find.addEventListener('blur', () => setTimeout(() => show(false), 150));
}

// ---- Boards: a tile that is dropped on a column sends the form that stands in the tile for it; a project that is dropped
// on a group leads to the page that says what that would do.
let dragged = null;
document.addEventListener('dragstart', (event) => { dragged = event.target.closest?.('[draggable="true"]'); });
document.addEventListener('dragend', () => { dragged = null; for (const column of all('[data-drop].over')) column.classList.remove('over'); });
document.addEventListener('dragover', (event) => {
  const column = event.target.closest?.('[data-drop]');
  if (!column || !dragged) return;
  event.preventDefault();
  for (const other of all('[data-drop].over')) if (other !== column) other.classList.remove('over');
  column.classList.add('over');
});
document.addEventListener('drop', (event) => {
  const column = event.target.closest?.('[data-drop]');
  if (!column || !dragged) return;
  event.preventDefault();
  column.classList.remove('over');
  if (dragged.dataset.dropAt) {
    const at = new URL(dragged.dataset.dropAt, location.href);
    at.searchParams.set('to', column.dataset.drop);
    if (!column.contains(dragged)) location.assign(at);
    return;
  }
  const to = CSS.escape(column.dataset.drop);
  const [form, button] = [$(`form[data-to="${to}"]`, dragged), $(`button[data-to="${to}"]`, dragged)];
  if (form) form.requestSubmit();
  else if (button) button.form.requestSubmit(button);
  else if (!column.contains(dragged)) toast(column.dataset.refuses ?? words.wrong);
});

// ---- Agents: a preset fills the grid of permissions, and the tools that an agent sees with them are shown at once.
function showTools(form) {
  const bits = new Set(all('input[name="permissions[]"]:checked', form).map((box) => box.value));
  let visible = 0;
  for (const line of all('[data-bit]', form)) {
    line.hidden = line.dataset.bit !== '' && !bits.has(line.dataset.bit);
    if (!line.hidden) visible += 1;
  }
  const count = $('[data-visible]', form);
  if (count) count.textContent = new Intl.NumberFormat(root.lang).format(visible);
}

document.addEventListener('change', ({ target: field }) => {
  const form = field.form;
  if (form?.dataset.permissions === undefined) return;
  const boxes = all('input[name="permissions[]"]', form);
  const presets = all('input[name="preset"]', form);
  if (field.name === 'preset' && field.dataset.bits !== undefined) {
    const bits = field.dataset.bits.split(' ');
    for (const box of boxes) box.checked = bits.includes(box.value);
  } else if (field.name === 'permissions[]') {
    const bits = boxes.filter((box) => box.checked).map((box) => box.value).sort().join(' ');
    const same = presets.find((preset) => preset.dataset.bits?.split(' ').sort().join(' ') === bits);
    (same ?? presets.find((preset) => preset.dataset.bits === undefined)).checked = true;
  }
  showTools(form);
});

// ---- Live: the page is asked for again when something on it changed, and only what differs is put in.
let leaving = false;
let stream = null;
let timer = 0;
let wanted = '';

function isDirty(part) {
  if ($('dialog[open]', part)) return true;
  return all('input, textarea, select', part).some((field) => {
    if (field.type === 'hidden') return false;
    if (field === document.activeElement && field.type !== 'checkbox') return true;
    if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
    if (field.tagName === 'SELECT') return [...field.options].some((option) => option.selected !== option.defaultSelected && all('option[selected]', field).length > 0);
    return field.value !== field.defaultValue;
  });
}

async function refresh(scope, forced) {
  if (leaving || dragged) return;
  let fresh;
  try {
    const answered = await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (answered.redirected) { leaving = true; location.reload(); return; }
    fresh = parse(await answered.text());
    // What is gone, or not to be seen any more, does not stay on the screen.
    if ([403, 404].includes(answered.status) && fresh.title !== document.title) { leaving = true; location.reload(); return; }
  } catch { return; }
  localise(fresh);
  let held = false;
  for (const part of all('[data-part]')) {
    const name = part.dataset.part;
    if (scope === 'bell' && name !== 'bell') continue;
    const next = $(`[data-part="${CSS.escape(name)}"]`, fresh);
    if (!next || comparable(next) === comparable(part)) continue;
    if (!forced && isDirty(part)) { held = true; continue; }
    if (name === 'bell' && Number(next.dataset.unread) > Number(part.dataset.unread)) {
      const text = $('.count', next)?.getAttribute('aria-label') ?? next.textContent;
      if (!$('.toast.bell')) toast(text, next.firstChild.textContent.trim(), () => location.assign(next.href)).classList.add('bell');
    }
    for (const open of all('details[open][id]', part)) $(`#${CSS.escape(open.id)}`, next)?.setAttribute('open', '');
    const focus = part.contains(document.activeElement) ? document.activeElement.id || document.activeElement.getAttribute('href') : null;
    part.replaceWith(document.adoptNode(next));
    if (focus) (document.getElementById(focus) ?? $(`[href="${CSS.escape(focus)}"]`, next))?.focus({ preventScroll: true });
  }
  if (held && !$('.toast.held')) toast(words.updated, words.refresh, () => refresh('all', true)).classList.add('held');
}

// What differs between two renderings of the same: keys of forms are new each time.
function comparable(part) {
  const copy = part.cloneNode(true);
  for (const field of all('input[name="idempotencyKey"]', copy)) field.remove();
  for (const text of all('.form-error, .field-error', copy)) text.remove();
  for (const field of all('[aria-invalid]', copy)) field.removeAttribute('aria-invalid');
  for (const open of all('details[open]', copy)) open.removeAttribute('open');
  for (const stamp of all('time', copy)) { stamp.removeAttribute('title'); stamp.textContent = ''; }
  copy.removeAttribute('open');
  return copy.outerHTML;
}

function soon(scope) {
  wanted = scope === 'all' || wanted === 'all' ? 'all' : 'bell';
  clearTimeout(timer);
  timer = setTimeout(() => { const what = wanted; wanted = ''; refresh(what); }, 400);
}

function listen() {
  stream?.close();
  stream = new EventSource('/api/events');
  let lost = false;
  stream.addEventListener('open', () => { root.dataset.connected = 'yes'; if (lost) soon('all'); lost = false; });
  stream.addEventListener('error', () => { delete root.dataset.connected; lost = true; });
  stream.addEventListener('change', (event) => {
    const { project } = JSON.parse(event.data);
    const mine = document.body.dataset.project;
    soon(!mine || !project || project === mine ? 'all' : 'bell');
  });
  for (const name of ['missed', 'access']) stream.addEventListener(name, () => soon('all'));
  stream.addEventListener('signed-out', () => { leaving = true; location.reload(); });
}

if (document.body.dataset.live !== undefined) {
  listen();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) { stream?.close(); stream = null; delete root.dataset.connected; } else if (!stream) { listen(); soon('all'); }
  });
  addEventListener('pagehide', () => { leaving = true; stream?.close(); });
  addEventListener('pageshow', (event) => { if (event.persisted) { leaving = false; listen(); soon('all'); } });
}

localise(document);
